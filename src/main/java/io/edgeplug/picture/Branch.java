package io.edgeplug.picture;

import java.util.List;
import java.util.Optional;

/**
 * Something on the node, and what is connected to it or a part of it.
 *
 * @param label what people call it
 * @param facts what else is told of it, the most useful first
 * @param device the device that it is; empty for what only leads to devices
 */
record Branch(String label, List<String> facts, Optional<ShownDevice> device, List<Branch> children) {

    Branch {
        facts = facts.stream().filter(fact -> !fact.isEmpty()).toList();
        children = List.copyOf(children);
    }
}
