package io.edgeplug.node.scan;

import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.regex.Pattern;

/**
 * The interfaces below one PF. In switchdev mode, these are its uplink and a representor of each VF and sub-function;
 * see Documentation/networking/switchdev.rst and representors.rst in the kernel.
 *
 * <p>{@code phys_port_name} says what an interface is: {@code p0}, {@code pf0vf3}, {@code pf0sf88}, and before Linux
 * 5.2 only the number of the VF. A function may have several ports, and a port may be split: {@code p0s0}. The most likely interfaces by name are asked first, so finding one of 256 does not
 * read 256.
 *
 * @param directories of these interfaces, by name
 */
record NetworkPorts(Sysfs sysfs, SortedMap<String, String> directories) {

    private static final Pattern UPLINK = Pattern.compile("p\\d+(?:s\\d+)?");

    /** The ports of one function have names that follow each other, before those of its representors. */
    private static final int ENOUGH_REPRESENTORS = 8;

    private static final Pattern REPRESENTOR = Pattern.compile("(?:c\\d+)?pf\\d+(?:[vs]f\\d+|hpf)?|\\d+");

    boolean isEmpty() {
        return directories.isEmpty();
    }

    /** The interfaces of the PF itself, sorted. */
    List<String> uplinks() throws IOException {
        if (directories.size() < 2) {
            return List.copyOf(directories.keySet());
        }
        List<String> uplinks = new ArrayList<>();
        List<String> own = new ArrayList<>();
        int representors = 0;
        // udev makes the names of representors longer than that of their uplink.
        for (String name : sorted(Comparator.comparingInt(String::length))) {
            String port = portName(name);
            if (UPLINK.matcher(port).matches()) {
                uplinks.add(name);
            } else if (!REPRESENTOR.matcher(port).matches()) {
                own.add(name);
            } else if (!uplinks.isEmpty()) {
                representors++;
            }
            if (representors == ENOUGH_REPRESENTORS) {
                break;
            }
        }
        return (uplinks.isEmpty() ? own : uplinks).stream().sorted().toList();
    }

    /** Whether one of them stands for a VF or a sub-function, as in switchdev mode. */
    boolean haveRepresentors() throws IOException {
        if (directories.size() < 2) {
            return false;
        }
        for (String name : sorted(Comparator.comparingInt(name -> -name.length()))) {
            if (REPRESENTOR.matcher(portName(name)).matches()) {
                return true;
            }
        }
        return false;
    }

    /** The representor of the PF's VF with that number. */
    Optional<String> ofVirtualFunction(int number) throws IOException {
        return find(number, Pattern.compile("(?:pf\\d+vf)?" + number));
    }

    /** The representor of the PF's sub-function with that number. */
    Optional<String> ofSubFunction(int number) throws IOException {
        return find(number, Pattern.compile("pf\\d+sf" + number));
    }

    private Optional<String> find(int number, Pattern wanted) throws IOException {
        if (directories.size() < 2) {
            return Optional.empty();
        }
        Pattern promising = Pattern.compile(".*\\D" + number);
        for (String name :
                sorted(Comparator.comparing(name -> !promising.matcher(name).matches()))) {
            if (wanted.matcher(portName(name)).matches()) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    private List<String> sorted(Comparator<String> order) {
        return directories.keySet().stream()
                .sorted(order.thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** The kernel answers EOPNOTSUPP for an interface that is no port of a switch. */
    private String portName(String name) throws IOException {
        try {
            return sysfs.read(directories.get(name) + "/" + name + "/phys_port_name")
                    .orElse("");
        } catch (IOException e) {
            if (KernelReason.of(e) == KernelReason.UNSUPPORTED) {
                return "";
            }
            throw e;
        }
    }
}
