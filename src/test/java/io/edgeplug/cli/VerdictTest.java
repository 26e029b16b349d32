package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.api.kubelet.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whether {@code explain} says of each device what {@code list} says. */
final class VerdictTest {

    @TempDir
    private Path root = Path.of("");

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void explainAndListAgreeOnEachDevice(String machine) throws IOException {
        String[] node = {
            "--sysroot", Machine.file(machine, "tree").toString(),
            "--config", Machine.file(machine, "class.toml").toString()
        };
        List<JsonElement> listed = JsonParser.parseString(execute(node, "list", "-J"))
                .getAsJsonObject()
                .getAsJsonArray("devices")
                .asList();
        String all = execute(node, "explain");
        List<String> explained = all.isEmpty() ? List.of() : List.of(all.split("\n\n", -1));

        assertThat(explained).hasSameSizeAs(listed);
        assertThat(all).doesNotContain("it its", "it it ", "cannot be handed over");
        for (int i = 0; i < listed.size(); i++) {
            JsonObject row = listed.get(i).getAsJsonObject();
            String health = row.get("health").getAsString();
            assertThat(explained.get(i).lines())
                    .startsWith(row.get("device").getAsString())
                    .contains("  health     " + health)
                    .contains(
                            row.get("resource").isJsonNull()
                                    ? "so it is not advertised"
                                    : "so it is advertised as "
                                            + row.get("resource").getAsString()
                                            + (health.equals("healthy") ? "" : ", " + health));
        }
    }

    @Test
    void missingMemberOfAGroupIsNamedAndNotMounted() throws IOException {
        Path config = Files.writeString(root.resolve("x.toml"), """
                [[class]]
                resource = "example.com/capture"
                kind = "path"
                [[class.groups]]
                paths = ["/etc/video*", "/etc/sound/*", "/etc/light"]
                """);
        Files.createDirectories(root.resolve("node/sys"));
        Files.createFile(Files.createDirectories(root.resolve("node/etc")).resolve("video7"));
        Files.createFile(root.resolve("node/etc/light"));
        String[] node = {"--sysroot", root.resolve("node").toString(), "--config", config.toString()};

        assertThat(execute(node, "list", "-n", "-o", "HEALTH"))
                .isEqualTo("unhealthy: lacks /etc/sound/7 of its group\n");
        assertThat(execute(node, "explain", "video7")).isEqualTo("""
                video7
                  kind       path
                  resource   example.com/capture
                  health     unhealthy: lacks /etc/sound/7 of its group
                  path       /etc/video7,/etc/sound/7,/etc/light
                example.com/capture: takes it
                  yes  kind path, it has path
                  yes  /etc/video* + /etc/sound/* + /etc/light, it has /etc/video7 + /etc/light
                so it is advertised as example.com/capture, unhealthy: lacks /etc/sound/7 of its group
                once it is healthy, its container would get
                  mount      /etc/light (ro)
                  mount      /etc/video7 (ro)
                  missing    /etc/sound/7
                """);
    }

    /** What the kubelet is told is told by both. */
    @Test
    void mountThatIsMissingMakesADeviceUnhealthyHereToo() throws IOException {
        Path config = Files.writeString(root.resolve("x.toml"), """
                [[class]]
                resource = "example.com/light"
                kind = "path"
                match = { paths = ["/etc/light"] }
                mounts = ["/etc/firmware"]
                """);
        Files.createDirectories(root.resolve("node/sys"));
        Files.createFile(Files.createDirectories(root.resolve("node/etc")).resolve("light"));
        // a node, and not one that was captured
        Files.createFile(Files.createDirectories(root.resolve("node/dev")).resolve("null"));
        String[] node = {"--sysroot", root.resolve("node").toString(), "--config", config.toString()};

        assertThat(execute(node, "list", "-n", "-o", "HEALTH"))
                .isEqualTo("unhealthy: its mount /etc/firmware is not there\n");
        assertThat(execute(node, "explain", "light"))
                .contains(
                        "so it is advertised as example.com/light, unhealthy: its mount /etc/firmware is not there\n");
    }

    private static String execute(String[] node, String... command) {
        StringWriter out = new StringWriter();
        assertThat(Commands.commandLine()
                        .setOut(new PrintWriter(out))
                        .execute(Stream.of(command, node).flatMap(Stream::of).toArray(String[]::new)))
                .isZero();
        return out.toString();
    }
}
