package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The program {@code ip}, by which tests make interfaces and look at them as a person does. */
public final class IpProgram {

    private IpProgram() {}

    /** Runs it, and returns what it prints. */
    public static String run(String arguments) throws IOException, InterruptedException {
        Process ip = new ProcessBuilder(("ip " + arguments).split(" "))
                .redirectErrorStream(true)
                .start();
        String output = new String(ip.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (ip.waitFor() != 0) {
            throw new IOException("ip " + arguments + ": " + output);
        }
        return output;
    }

    /** The index of an interface. */
    public static int index(String name) throws IOException, InterruptedException {
        return Integer.parseInt(run("-o link show dev " + name).split(":", 2)[0]);
    }
}
