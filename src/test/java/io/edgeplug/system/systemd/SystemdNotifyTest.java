package io.edgeplug.system.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process that has systemd's variables in its environment sends; SDNotify reads no others. */
final class SystemdNotifyTest {

    @TempDir
    private Path directory = Path.of("");

    /** The process: goes through the states of a service, and ends with 0 if nothing was thrown. */
    static final class Service {

        public static void main(String[] args) {
            SystemdNotify systemd = SystemdNotify.ofEnvironment();
            systemd.ready("example.com/a 2\nREADY=0");
            systemd.status("grün");
            systemd.reloading();
            systemd.alive();
            systemd.stopping();
            System.out.println("watchdog: " + systemd.watchdog());
        }
    }

    @Test
    void stateIsToldOnAPath() throws IOException, InterruptedException {
        String socket = directory.resolve("notify").toString();
        try (Datagrams systemd = Datagrams.on(socket)) {
            assertThat(run(Map.of("NOTIFY_SOCKET", socket))).contains("watchdog: Optional.empty");

            assertStory(systemd);
        }
    }

    @Test
    void stateIsToldOnAnAbstractSocket() throws IOException, InterruptedException {
        String name = "edgeplug-test-" + ProcessHandle.current().pid();
        try (Datagrams systemd = Datagrams.on("\0" + name)) {
            run(Map.of("NOTIFY_SOCKET", "@" + name));

            assertStory(systemd);
        }
    }

    @Test
    void receiverThatIsGoneHarmsNothing() throws IOException, InterruptedException {
        String output = run(Map.of("NOTIFY_SOCKET", directory.resolve("nobody").toString()));

        assertThat(output).contains("watchdog: ").containsOnlyOnce("cannot report the state to systemd");
    }

    @Test
    void nothingIsSaidWithoutSystemd() throws IOException, InterruptedException {
        assertThat(run(Map.of("WATCHDOG_USEC", "9000000"))).isEqualTo("watchdog: Optional.empty\n");
    }

    @Test
    void watchdogOfAnotherProcessIsNotOurs() throws IOException, InterruptedException {
        String socket = directory.resolve("notify").toString();
        Map<String, String> ours = Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "9000000");
        Map<String, String> another = Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "9000000", "WATCHDOG_PID", "1");
        try (Datagrams systemd = Datagrams.on(socket)) {
            assertThat(run(ours)).contains("watchdog: Optional[PT9S]");
            assertThat(run(another)).contains("watchdog: Optional.empty");
            assertThat(systemd.next()).startsWith("READY=1");
        }
    }

    private static void assertStory(Datagrams systemd) throws InterruptedException {
        assertThat(systemd.next()).isEqualTo("READY=1\nSTATUS=example.com/a 2?READY=0");
        assertThat(systemd.next()).isEqualTo("STATUS=grün");
        assertThat(systemd.next()).matches("RELOADING=1\nMONOTONIC_USEC=\\d+");
        assertThat(systemd.next()).isEqualTo("WATCHDOG=1");
        assertThat(systemd.next()).isEqualTo("STOPPING=1");
    }

    private String run(Map<String, String> environment) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        ProcessBuilder service = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Service.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        service.environment().keySet().removeIf(name -> name.startsWith("WATCHDOG_") || name.equals("NOTIFY_SOCKET"));
        service.environment().putAll(environment);
        service.environment().put("LC_ALL", "C.UTF-8");
        Process process = service.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        String text = Files.readString(output);
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }
}
