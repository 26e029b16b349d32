package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A kubeconfig with mistakes: a message names the file and the mistake, and never a secret of it. */
@Timeout(60)
final class KubeconfigTest {

    private static final String SECRET = "hunter2";

    @TempDir
    private Path directory = Path.of("");

    private Path sound() throws IOException {
        return TestIdentity.write(directory, 1, TestIdentity.NODE1);
    }

    /** The message for a kubeconfig in which a text is replaced, as every request has it. */
    private String problem(String before, String after) throws IOException {
        Path file = sound();
        String text = Files.readString(file);
        assertThat(text).contains(before);
        return problemOf(Files.writeString(file, text.replace(before, after)));
    }

    private static String problemOf(Path file) {
        try (ApiServer api = new ApiServer(file, null)) {
            Throwable problem = catchThrowable(
                    () -> api.ask(ApiRequest.node("node1"), ApiReading.nothing(), Duration.ofSeconds(20)));
            assertThat(problem).isInstanceOf(IOException.class);
            return String.valueOf(problem.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            client-certificate: ; client-certificate: "a\\0b" #; names a file whose path has a character that none has
            certificate-authority: ; certificate-authority: "\\0" #; names a file whose path has a character
            client-certificate: ; token: "hunter2\\nX-A: b" #; its token has a space, a line break
            client-certificate: ; token: "hunter2 b" #; its token has a space, a line break
            client-certificate: ; token: "hunter2\u00e4" #; its token has a space, a line break
            client-certificate: ; tokenFile: "a\\0b" #; names a file whose path has a character
            https://127.0.0.1:1; https://127.0.0.1:99999; its server has the port 99999, which is none
            https://127.0.0.1:1; https://me:hunter2@127.0.0.1:0; its server has the port 0, which is none
            https://127.0.0.1:1; https://me:hunter2@127.0.0.1:x; its server is no
            https://127.0.0.1:1; https://me:hunter2@ 127.0.0.1; its server is no address, at character 20
            https://127.0.0.1:1; http://me:hunter2@127.0.0.1; its server is no https address
            https://127.0.0.1:1; https://me:hunter2@127.0.0.1:1; API server https://127.0.0.1:1:
            namespace: default; namespace: [hunter2; is not YAML
            """)
    void mistakeIsToldWithoutASecret(String before, String after, String message) throws Exception {
        assertThat(problem(before, after)).contains(message).doesNotContain(SECRET);
    }

    @Test
    void tokenInAFileMayEndWithALineBreakAndHasNoOther() throws Exception {
        Path token = directory.resolve("token");
        Files.writeString(token, SECRET + "\n");
        assertThat(problem("client-certificate: ", "tokenFile: " + token + " #"))
                .contains("API server https://127.0.0.1:1:");
        Files.writeString(token, SECRET + "\n" + SECRET + "\n");
        assertThat(problemOf(directory.resolve("kubelet.conf")))
                .contains("its token has")
                .doesNotContain(SECRET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{a: ", "- ", "? ", "a: ["})
    void depthIsBoundedBeforeTheParserCallsItself(String level) throws Exception {
        Path file = Files.writeString(directory.resolve("kubelet.conf"), level.repeat(100_000));

        assertThat(problemOf(file)).startsWith(file + ": is n").contains("deep");
    }

    @ParameterizedTest
    @ValueSource(strings = {"- a\n", "- \n", "- []\n", "- {}\n", "? a\n"})
    void partsAreBoundedBeforeTheyAreInMemory(String part) throws Exception {
        Path file = Files.writeString(directory.resolve("kubelet.conf"), part.repeat(200_000));

        assertThat(problemOf(file)).isEqualTo(file + ": has more than 5000 parts");
    }

    @Test
    void fileIsReadAgainOnceItHasChanged() throws Exception {
        Path file = sound();
        String text = Files.readString(file);
        Files.writeString(file, text.replace(":1", ":99999"));
        try (ApiServer api = new ApiServer(file, null)) {
            assertThat(catchThrowable(api::nodeName)).hasMessageContaining("which is none");
            assertThat(api.hasNews()).isFalse();
            Files.writeString(file, text);
            assertThat(api.hasNews()).isTrue();
            assertThat(api.nodeName()).isEqualTo("node1");
            assertThat(api.hasNews()).isFalse();
        }
    }

    /** Also of a file that the kubeconfig only names, and that is not there yet. */
    @Test
    void fileThatAKubeconfigNamesIsNewsOnceItHasChanged() throws Exception {
        Path file = sound();
        Path authority = directory.resolve("ca.crt");
        String text = Files.readString(authority);
        Files.delete(authority);
        try (ApiServer api = new ApiServer(file, null)) {
            assertThat(catchThrowable(api::nodeName)).hasMessage(authority + ": no such file");
            Files.writeString(authority, "no certificate");
            assertThat(api.hasNews()).isTrue();
            assertThat(catchThrowable(api::nodeName)).hasMessageContaining("certificate-authority");
            assertThat(api.hasNews()).isFalse();
            Files.writeString(authority, text);
            assertThat(api.hasNews()).isTrue();
            assertThat(api.nodeName()).isEqualTo("node1");
        }
    }
}
