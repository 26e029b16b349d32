package io.edgeplug.system.files;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A test that does what only root may, which the value says. It is skipped for other users. CI runs these tests, and no
 * others, as root.
 */
@Tag("root")
@ExtendWith(NeedsRoot.Condition.class)
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface NeedsRoot {

    /** Such as {@code mounts a file system}. */
    String value();

    /** Skips them. */
    final class Condition implements ExecutionCondition {

        /** For what only such tests may call, so that none is missing where CI looks for them. */
        public static void check() {
            if (!Ownership.isRoot()) {
                throw new IllegalStateException("only root can do this, so the test has to be marked with @NeedsRoot");
            }
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String why = AnnotationSupport.findAnnotation(context.getElement(), NeedsRoot.class)
                    .map(NeedsRoot::value)
                    .orElse("");
            return Ownership.isRoot()
                    ? ConditionEvaluationResult.enabled("this is root")
                    : ConditionEvaluationResult.disabled("needs root: " + why);
        }
    }
}
