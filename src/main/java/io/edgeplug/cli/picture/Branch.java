package io.edgeplug.cli.picture;

import java.util.List;
import java.util.Optional;

/**
 * A thing on the node, with its parts and the things that are connected to it.
 *
 * @param label its name for people
 * @param facts more about it, the most useful first
 * @param device its device; empty if it only leads to devices
 */
record Branch(String label, List<String> facts, Optional<ShownDevice> device, List<Branch> children) {

    Branch {
        facts = facts.stream().filter(fact -> !fact.isEmpty()).toList();
        children = List.copyOf(children);
    }

    /** A thing that is no device and has no parts. */
    static Branch of(String label, String... facts) {
        return new Branch(label, List.of(facts), Optional.empty(), List.of());
    }
}
