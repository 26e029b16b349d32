package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

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

    /**
     * Has a function's directory of sysfs show these interfaces alone. Others may look meanwhile, so one that is renamed is
     * always there, as in the kernel.
     */
    public static void show(Path net, String... names) throws IOException {
        List<Path> old;
        try (Stream<Path> files = Files.list(net)) {
            old = files.toList();
        }
        if (old.size() == 1 && names.length == 1) {
            Files.move(old.getFirst(), net.resolve(names[0]));
            return;
        }
        for (Path one : old) {
            try (Stream<Path> files = Files.walk(one)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        for (String name : names) {
            Files.createDirectory(net.resolve(name));
        }
    }
}
