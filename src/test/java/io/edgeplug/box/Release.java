package io.edgeplug.box;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A release of Kubernetes that scenarios run on. */
enum Release {
    OLDEST("1.33"),
    MIDDLE("1.35"),
    NEWEST("1.37");

    private final String minor;

    Release(String minor) {
        this.minor = minor;
    }

    String minor() {
        return minor;
    }

    /** The newest release, because each takes minutes in an emulated node; all with {@code -Dsoak}. */
    static List<Release> tested() {
        return System.getProperty("soak") == null ? List.of(NEWEST) : List.of(values());
    }

    /** Its kubelet, which takes minutes to build if it is not in the cache. */
    Path kubelet() throws IOException, InterruptedException {
        return Path.of(print("src/test/kubelets/build", minor));
    }

    /** Runs a command of this machine and returns its output. It is an error if the command fails. */
    static String print(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + status);
        }
        return out.strip();
    }

    @Override
    public String toString() {
        return minor;
    }
}
