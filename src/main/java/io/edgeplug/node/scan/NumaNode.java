package io.edgeplug.node.scan;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The NUMA node of a function.
 *
 * @param number empty if none is known
 * @param isGuess whether the number is a guess from the functions around it, because the kernel names none
 */
record NumaNode(OptionalInt number, boolean isGuess) {

    private static final String NODES = "sys/devices/system/node";
    private static final Pattern NODE = Pattern.compile("node(\\d{1,4})");

    /**
     * The node that the function reports. If the kernel reports none, it is that of a VF's PF, or of the nearest
     * function above that has one. Otherwise it is the node that has exactly the function's CPUs.
     *
     * @param above the functions through which it is reached, from the root port down
     */
    static Reading<NumaNode> of(NodeWide node, PciAttributes own, List<PciAddress> above) {
        FirstProblem problems = new FirstProblem();
        Optional<String> said = problems.in(own.text("numa_node"));
        OptionalInt number = said.map(PciAttributes::parsed).orElse(OptionalInt.of(-1));
        if (number.isEmpty() || number.getAsInt() >= 0) {
            return problems.with(new NumaNode(number, false));
        }
        OptionalInt guess = guess(node, own, above, problems);
        return problems.with(new NumaNode(guess, guess.isPresent()));
    }

    /** There is no guess if a file for it cannot be read. */
    private static OptionalInt guess(NodeWide node, PciAttributes own, List<PciAddress> above, FirstProblem problems) {
        List<PciAddress> nearest = new ArrayList<>(above);
        problems.in(own.link("physfn")).flatMap(PciAddress::parse).ifPresent(nearest::add);
        for (PciAddress one : nearest.reversed()) {
            OptionalInt named =
                    PciAttributes.of(node, one).description("numa_node").value();
            if (named.isPresent() && named.getAsInt() >= 0) {
                return named;
            }
        }
        Optional<String> cpus = problems.in(own.text("local_cpulist"));
        try {
            return cpus.isPresent() ? nodeOfCpus(node.sysfs(), cpus.orElseThrow()) : OptionalInt.empty();
        } catch (IOException e) {
            return OptionalInt.empty();
        }
    }

    private static OptionalInt nodeOfCpus(Sysfs sysfs, String cpus) throws IOException {
        for (String name : sysfs.names(NODES)) {
            Matcher number = NODE.matcher(name);
            if (number.matches() && sysfs.read(NODES + "/" + name + "/cpulist").equals(Optional.of(cpus))) {
                return OptionalInt.of(Integer.parseInt(number.group(1)));
            }
        }
        return OptionalInt.empty();
    }
}
