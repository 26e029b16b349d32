package io.edgeplug.box;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of a class that take a {@link Node}, which runs the installed package and is the same before each. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("node")
@Timeout(value = 45, unit = TimeUnit.MINUTES)
@ExtendWith(NodeInBox.class)
@interface NodeScenario {

    /** Whether the node is a {@link Machine#ARM64_BOARD}. There is none if the nodes are of another architecture. */
    boolean board() default false;
}
