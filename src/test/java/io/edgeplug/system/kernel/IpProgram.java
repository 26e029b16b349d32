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

    /** Makes an interface, which is one end of a pair, and returns its index. Not every kernel has dummy interfaces. */
    public static int add(String name) throws IOException, InterruptedException {
        String ignored = run("link add " + name + " type veth peer name p-" + name);
        return index(name);
    }

    /** The index of an interface. */
    public static int index(String name) throws IOException, InterruptedException {
        return Integer.parseInt(run("-o link show dev " + name).split(":", 2)[0]);
    }
}
