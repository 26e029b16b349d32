package io.edgeplug.cli.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Draws neighbours that differ only in their numbers as one, because a PF may have 256 VFs. */
final class Alike {

    /** So many siblings are still drawn one by one. */
    private static final int MOST = 3;

    private Alike() {}

    /** The same branches, and everything below them, with one in place of those that are alike. */
    static List<Branch> merged(List<Branch> branches) {
        List<List<Branch>> groups = new ArrayList<>();
        for (Branch branch : branches) {
            if (!groups.isEmpty() && areAlike(groups.getLast().getFirst(), branch)) {
                groups.getLast().add(branch);
            } else {
                groups.add(new ArrayList<>(List.of(branch)));
            }
        }
        return groups.stream().flatMap(Alike::drawn).toList();
    }

    private static Stream<Branch> drawn(List<Branch> group) {
        if (group.size() <= MOST) {
            return group.stream()
                    .map(one -> new Branch(one.label(), one.facts(), one.device(), merged(one.children())));
        }
        Branch from = group.getFirst();
        Branch to = group.getLast();
        return Stream.of(new Branch(
                from.label() + " … " + to.label() + " (" + group.size() + ")",
                List.of(from.facts().getFirst() + " … " + to.facts().getFirst()),
                from.device(),
                List.of()));
    }

    /** Whether both have the same resource, are healthy and are not held. All others stand alone. */
    private static boolean areAlike(Branch one, Branch other) {
        return isMergeable(one)
                && isMergeable(other)
                && areAlike(one.device().orElseThrow(), other.device().orElseThrow());
    }

    private static boolean isMergeable(Branch one) {
        return one.children().isEmpty()
                && !one.facts().isEmpty()
                && one.device().filter(device -> device.state().isEmpty()).isPresent();
    }

    private static boolean areAlike(ShownDevice one, ShownDevice other) {
        return one.device().kind() == other.device().kind()
                && one.device().driver().equals(other.device().driver())
                && one.resource().equals(other.resource());
    }
}
