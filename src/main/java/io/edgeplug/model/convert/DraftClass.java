package io.edgeplug.model.convert;

import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.ResourceName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A class of files or USB devices that is about to be written. It has once what groups of them may have differently. */
final class DraftClass {

    final Set<Integer> shares = new LinkedHashSet<>();
    final Set<String> directories = new LinkedHashSet<>();
    final Set<String> permissions = new LinkedHashSet<>();
    final Set<Boolean> readOnly = new LinkedHashSet<>();
    final List<String> single = new ArrayList<>();
    final List<PathGroup> several = new ArrayList<>();
    final UsbTables usb = new UsbTables();
    final Set<String> usbNodes = new LinkedHashSet<>();
    final Set<String> names = new LinkedHashSet<>();
    final List<String> comments = new ArrayList<>();

    void write(NewClasses classes, ResourceName resource, String permissionsOfAll) {
        ClassText text = classes.text();
        text.beginClass(String.valueOf(resource), comments);
        text.string("kind", usb.isEmpty() ? "path" : "usb");
        if (permissionsOfAll.contains("m")) {
            text.comment("m lets the container make device nodes. Leave it out unless its program does that.");
        }
        if (!permissionsOfAll.isEmpty()) {
            text.string("permissions", permissionsOfAll);
        }
        int sharesOfAll = shares.stream().findFirst().orElse(1);
        if (usb.isEmpty()) {
            writePaths(classes, resource, sharesOfAll);
        } else {
            usb.write(classes, usbNodes, sharesOfAll);
        }
    }

    private void writePaths(NewClasses classes, ResourceName resource, int sharesOfAll) {
        ClassText text = classes.text();
        directories.stream().filter(one -> !one.isEmpty()).forEach(one -> text.string("container_dir", one));
        names.forEach(one -> text.string("container_path", one));
        List<String> first = Stream.concat(
                        single.stream(),
                        several.stream().map(group -> group.paths().getFirst()))
                .toList();
        classes.files().write(resource, first, text);
        if (sharesOfAll > 1) {
            text.number("shares", sharesOfAll);
        }
        if (!single.isEmpty()) {
            text.table("[class.match]", List.of());
            text.strings("paths", single);
        }
        for (PathGroup group : several) {
            text.table("[[class.groups]]", List.of());
            text.strings("paths", group.paths());
            List<String> optional =
                    group.paths().stream().filter(group.optional()::contains).toList();
            if (!optional.isEmpty()) {
                text.strings("optional", optional);
            }
        }
    }
}
