package io.edgeplug.api.kubelet;

import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process of the same user, which calls a plugin as if it were the kubelet. */
final class Stranger {

    private static final String ANSWERED = "answered";

    private Stranger() {}

    /**
     * What runs in the process; prints what became of its call.
     *
     * @param args the plugin's socket
     */
    public static void main(String[] args) throws Exception {
        try (UnixRpc rpc = UnixRpc.open();
                PluginClient client = PluginClient.dial(rpc, Path.of(args[0]))) {
            client.options();
            System.out.println(ANSWERED);
        } catch (StatusRuntimeException e) {
            System.out.println(e.getStatus().getCode());
        }
    }

    /** Whether a plugin answers another process. */
    static boolean isAnswered(Path socket) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Stranger.class.getName(),
                        socket.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(TestDaemon.PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new AssertionError("ended with " + said);
        }
        if (!List.of(ANSWERED, "UNAVAILABLE", "PERMISSION_DENIED").contains(said)) {
            throw new AssertionError(said);
        }
        return said.equals(ANSWERED);
    }
}
