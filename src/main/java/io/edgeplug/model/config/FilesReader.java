package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.FileRules;
import io.edgeplug.model.rules.Template;
import io.edgeplug.model.rules.TemplateWord;
import io.edgeplug.model.rules.UsbRules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the keys of a class that only concern files. */
record FilesReader(Table table, @Nullable Kind kind) {

    private static final Set<TemplateWord> USB_ID =
            Set.of(TemplateWord.ID, TemplateWord.VENDOR, TemplateWord.PRODUCT, TemplateWord.SERIAL, TemplateWord.PORT);

    List<PathGroup> groups() {
        Words.concerns(table, "groups", kind, Set.of(Kind.PATH));
        List<PathGroup> groups = new ArrayList<>();
        for (Table group : table.tables("groups")) {
            List<String> paths = group.strings("paths");
            List<String> optional = group.strings("optional");
            if (!group.has("paths")) {
                group.mistake("paths", "missing");
            } else if (!paths.isEmpty()) {
                try {
                    groups.add(new PathGroup(paths, Set.copyOf(optional)));
                } catch (IllegalArgumentException e) {
                    group.mistake("paths", String.valueOf(e.getMessage()));
                }
            }
        }
        return groups;
    }

    FileRules.Identity identity(boolean isFace) {
        Words.concerns(table, "id", kind, Set.of(Kind.PATH, Kind.USB));
        Words.concerns(table, "shared_with", kind, Set.of(Kind.PATH));
        if (table.has("shared_with") && isFace) {
            table.mistake("shared_with", "contradicts faces, which only one pod has at a time");
        }
        return new FileRules.Identity(id(), sharedWith());
    }

    /** An ID is a part of file names. */
    private Optional<Template> id() {
        return table.string("id").flatMap(text -> kind == Kind.USB ? usbId(text) : pathId(text));
    }

    private Optional<Template> pathId(String text) {
        Optional<Template> id = Words.template(table, "id", text, Kind.PATH);
        id.filter(one -> text.contains("/")
                        || one.words().contains(TemplateWord.PATH)
                        || one.words().contains(TemplateWord.TARGET))
                .ifPresent(
                        one -> table.mistake("id", "\"" + one + "\" must be a name without a slash, and not a path"));
        return id;
    }

    /** The paths of nodes change each time that it is plugged in, and the ID must not. */
    private Optional<Template> usbId(String text) {
        Optional<Template> id = UsbRules.id(text).or(() -> Words.template(table, "id", text, kind));
        id.filter(one -> one.isConstant() || text.contains("/") || !USB_ID.containsAll(one.words()))
                .ifPresent(
                        one -> table.mistake(
                                "id",
                                "\"" + text
                                        + "\" must be serial, port, or a template of {id}, {vendor}, {product}, {serial} and {port} without a slash"));
        return id;
    }

    private Set<ResourceName> sharedWith() {
        Set<ResourceName> resources = new LinkedHashSet<>();
        table.strings("shared_with")
                .forEach(text -> Words.resource(table, "shared_with", text).ifPresent(resources::add));
        return resources;
    }
}
