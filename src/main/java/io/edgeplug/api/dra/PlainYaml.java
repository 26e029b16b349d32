package io.edgeplug.api.dra;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads YAML of a person. Its size in memory and its depth have limits, which are checked as it is parsed. */
final class PlainYaml {

    /** The parser calls itself for each level. A kubeconfig has five. */
    private static final int MAX_DEPTH = 32;

    /** Each part takes half a kilobyte while it is read. A kubeconfig with ten clusters has 500 parts. */
    private static final int MAX_PARTS = 5000;

    private PlainYaml() {}

    /**
     * The value of a text.
     *
     * @throws IOException if it has a mistake; the message is a clause, and quotes nothing, because it may have secrets
     */
    static Object read(String text) throws IOException {
        LoadSettings settings = LoadSettings.builder()
                .setCodePointLimit(text.length() + 1)
                .setMaxAliasesForCollections(1)
                .build();
        try {
            check(new Parse(settings).parseString(text));
            return Optional.ofNullable(new Load(settings).loadFromString(text)).orElse("");
        } catch (MarkedYamlEngineException e) {
            String line = e.getProblemMark()
                    .map(mark -> " in line " + (mark.getLine() + 1))
                    .orElse("");
            throw new IOException("is not YAML" + line + ": " + plain(e.getProblem()));
        } catch (YamlEngineException e) {
            throw new IOException("is not YAML");
        }
    }

    private static void check(Iterable<Event> events) throws IOException {
        int depth = 0;
        int parts = 0;
        for (Event event : events) {
            depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
            parts++;
            if (depth > MAX_DEPTH) {
                throw new IOException("is nested more than " + MAX_DEPTH + " deep");
            }
            if (parts > MAX_PARTS) {
                throw new IOException("has more than " + MAX_PARTS + " parts");
            }
        }
    }

    /** The problem up to where the parser begins to quote. */
    private static String plain(String problem) {
        return problem.replaceFirst("(?s)['\"(\n].*", "").strip().toLowerCase(Locale.ROOT);
    }
}
