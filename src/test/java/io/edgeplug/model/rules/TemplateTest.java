package io.edgeplug.model.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Texts of classes with words in braces. */
final class TemplateTest {

    private static final Device FILE = new PathDevice(
            "card0",
            List.of(new PathDevice.File(
                    "/dev/card0",
                    Optional.of(new Destination("/dev/card0", FileKind.CHARACTER_DEVICE, 0, 0, "", List.of())))),
            Optional.empty(),
            Health.HEALTHY);

    @Test
    void wordsAreFilledInAndDoubledBracesAreBraces() {
        Template template = Template.parse("{{{id}}}-{id}", Kind.PATH);

        assertThat(template.fill(FILE)).isEqualTo("{card0}-card0");
        assertThat(template.fill(FILE, Map.of())).contains("{card0}-card0");
        assertThat(Template.parse("a {{constant}}", null).fill(FILE)).isEqualTo("a {constant}");
    }

    @Test
    void wordThatADeviceDoesNotHaveIsTold() {
        Template template = Template.parse("{id} {numa_node} {driver}", null);

        assertThat(template.missing(FILE)).contains(TemplateWord.NUMA_NODE);
        assertThat(template.fill(FILE)).isEqualTo("card0 {numa_node} {driver}");
        assertThat(template.fill(FILE, Map.of())).isEmpty();
        assertThat(template.fill(FILE, Map.of(TemplateWord.NUMA_NODE, "0", TemplateWord.DRIVER, "x")))
                .contains("card0 0 x");
    }

    @Test
    void wordThatAKindNeverHasIsAMistake() {
        assertThatThrownBy(() -> Template.parse("{vf}", Kind.PATH))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("{vf} is none of {id}, {path}, {target}, {name}, {dir}, {hash}");
        assertThatThrownBy(() -> Template.parse("{file}", null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("{file} is none of {id}, {bdf}, ");
        assertThat(Template.parse("{file}", Kind.PATH, TemplateWord.FILE).words())
                .containsExactly(TemplateWord.FILE);
        for (String alone : List.of("{", "}", "{id", "{}}")) {
            assertThatThrownBy(() -> Template.parse(alone, null))
                    .as(alone)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
