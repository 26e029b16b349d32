package io.edgeplug.model.config;

import io.edgeplug.model.rules.KeptFunctions;
import java.util.List;
import java.util.Optional;

/** Reads {@code [node]}: which functions the node uses itself. */
final class NodeReader {

    private NodeReader() {}

    static KeptFunctions read(Table main) {
        Optional<Table> table = main.table("node");
        return table.map(node -> new KeptFunctions(names(node, "keeps"), names(node, "spares"), false))
                .orElse(KeptFunctions.NONE);
    }

    private static List<String> names(Table node, String key) {
        return node.strings(key).stream()
                .filter(text -> {
                    try {
                        boolean unusedMatches = KeptFunctions.named(text).test("");
                        return true;
                    } catch (IllegalArgumentException e) {
                        node.mistake(key, "\"" + text + "\" " + e.getMessage());
                        return false;
                    }
                })
                .toList();
    }
}
