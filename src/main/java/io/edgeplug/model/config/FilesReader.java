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

/** Reads the keys of a class that only concern files. */
record FilesReader(Table table, Optional<Kind> kind) {

    private static final Set<TemplateWord> USB_ID =
            Set.of(TemplateWord.ID, TemplateWord.VENDOR, TemplateWord.PRODUCT, TemplateWord.SERIAL, TemplateWord.PORT);

    List<PathGroup> groups() {
        mustBePath("groups");
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
        if (kind.filter(one -> one == Kind.USB).isEmpty()) {
            mustBePath("id");
        }
        mustBePath("shared_with");
        if (table.has("shared_with") && isFace) {
            table.mistake("shared_with", "contradicts faces, which only one pod has at a time");
        }
        return new FileRules.Identity(id(), sharedWith());
    }

    private void mustBePath(String key) {
        if (table.has(key) && kind.filter(one -> one != Kind.PATH).isPresent()) {
            table.mistake(key, "does not apply to kind " + kind.orElseThrow().word());
        }
    }

    /** An ID is a part of file names. */
    private Optional<Template> id() {
        Optional<String> text = table.string("id");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        if (kind.equals(Optional.of(Kind.USB))) {
            return usbId(text.orElseThrow());
        }
        try {
            Template id = Template.parse(text.orElseThrow(), Optional.of(Kind.PATH));
            if (text.orElseThrow().isEmpty()
                    || text.orElseThrow().contains("/")
                    || id.words().contains(TemplateWord.PATH)
                    || id.words().contains(TemplateWord.TARGET)) {
                table.mistake("id", "\"" + id + "\" must be a name without a slash, and not a path");
            }
            return Optional.of(id);
        } catch (IllegalArgumentException e) {
            table.mistake("id", "\"" + text.orElseThrow() + "\": " + e.getMessage());
            return Optional.empty();
        }
    }

    /** The paths of nodes change each time that it is plugged in, and the ID must not. */
    private Optional<Template> usbId(String text) {
        try {
            Template id = UsbRules.id(text).orElseGet(() -> Template.parse(text, Optional.of(Kind.USB)));
            if (id.isConstant() || text.contains("/") || !USB_ID.containsAll(id.words())) {
                table.mistake(
                        "id",
                        "\"" + text
                                + "\" must be serial, port, or a template of {id}, {vendor}, {product}, {serial} and {port} without a slash");
            }
            return Optional.of(id);
        } catch (IllegalArgumentException e) {
            table.mistake("id", "\"" + text + "\": " + e.getMessage());
            return Optional.empty();
        }
    }

    private Set<ResourceName> sharedWith() {
        Set<ResourceName> resources = new LinkedHashSet<>();
        for (String text : table.strings("shared_with")) {
            try {
                resources.add(ResourceName.parse(text));
            } catch (IllegalArgumentException e) {
                table.mistake("shared_with", "\"" + text + "\" " + e.getMessage());
            }
        }
        return resources;
    }
}
