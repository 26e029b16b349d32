package io.edgeplug.model.convert;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads YAML, and JSON, which is a part of it. */
final class SourceText {

    /** The deepest configuration has a third of this, and the parser is recursive. */
    private static final int MAX_DEPTH = 32;

    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setLabel("").setUseMarks(true).build();

    private SourceText() {}

    /** The documents of a text; none if a mistake was added. */
    static List<Part> read(Part.Place place, String text) {
        String plain = withoutTabs(text.startsWith("\uFEFF") ? text.substring(1) : text);
        try {
            Optional<Mistake> mistake = mistake(plain);
            if (mistake.isPresent()) {
                tell(place, mistake.orElseThrow());
                return List.of();
            }
            List<Part> documents = new ArrayList<>();
            for (Node root : new Compose(SETTINGS).composeAllFromString(plain)) {
                documents.add(new Part(place, root));
            }
            return documents;
        } catch (MarkedYamlEngineException e) {
            tell(place, new Mistake(e.getProblemMark(), "is neither JSON nor YAML: " + firstLine(e.getProblem())));
        } catch (YamlEngineException e) {
            tell(
                    place,
                    new Mistake(
                            Optional.empty(),
                            "is neither JSON nor YAML: " + firstLine(String.valueOf(e.getMessage()))));
        }
        return List.of();
    }

    private record Mistake(Optional<Mark> mark, String what) {}

    private static void tell(Part.Place place, Mistake mistake) {
        int line =
                mistake.mark().map(mark -> mark.getLine() + 1 + place.before()).orElse(place.before());
        place.mistakes().add(place.file(), line, mistake.what());
    }

    /** Finds text that is small but expands without end, or that is nested too deeply for the parser. */
    private static Optional<Mistake> mistake(String text) {
        int depth = 0;
        for (Event event : new Parse(SETTINGS).parseString(text)) {
            if (event instanceof AliasEvent) {
                return Optional.of(new Mistake(event.getStartMark(), "has an alias (*): write the value itself"));
            }
            depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
            if (depth > MAX_DEPTH) {
                return Optional.of(new Mistake(event.getStartMark(), "is nested more than " + MAX_DEPTH + " deep"));
            }
        }
        return Optional.empty();
    }

    /** JSON may be indented with tabs, but YAML may not. A string of JSON cannot contain a tab. */
    private static String withoutTabs(String text) {
        return text.stripLeading().startsWith("{") || text.stripLeading().startsWith("[")
                ? text.replace('\t', ' ')
                : text;
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").toLowerCase(Locale.ROOT);
    }
}
