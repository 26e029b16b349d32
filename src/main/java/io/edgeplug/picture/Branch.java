package io.edgeplug.picture;

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
}
