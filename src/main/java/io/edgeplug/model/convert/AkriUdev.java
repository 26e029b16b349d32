package io.edgeplug.model.convert;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.Sharing;
import java.util.List;
import java.util.Optional;

/** A Configuration of Akri with rules of udev, as in its discovery-handlers/udev. */
record AkriUdev(NewClasses classes) {

    static final String NAME = "Akri";

    /** The group of its objects, which is the domain of their resources. */
    static final String GROUP = "akri.sh";

    void convert(Part configuration) {
        classes.attempt(configuration, () -> one(configuration));
    }

    private void one(Part configuration) {
        int before = configuration.place().mistakes().count();
        Optional<ResourceName> resource = part(configuration, "metadata")
                .flatMap(metadata -> metadata.required("name"))
                .flatMap(name -> classes.claim(configuration, classes.domain(GROUP) + "/" + name));
        Optional<Part> spec = part(configuration, "spec");
        Optional<Part> handler = spec.flatMap(found -> part(found, "discoveryHandler"));
        handler.flatMap(found -> found.required("name"))
                .filter(name -> !name.equals("udev"))
                .ifPresent(name ->
                        handler.orElseThrow().mistake("name \"" + name + "\" has no counterpart, only udev has"));
        if (configuration.place().mistakes().count() > before) {
            return;
        }
        DraftClass draft = draft(spec.orElseThrow());
        List<Part> details = part(handler.orElseThrow(), "discoveryDetails")
                .map(text -> text.documents(0))
                .orElse(List.of());
        List<UdevRule> rules = details.stream()
                .flatMap(one -> one.elements("udevRules").stream())
                .map(UdevRule::new)
                .toList();
        boolean isGrouped = details.stream().anyMatch(one -> one.truth("groupRecursive"));
        details.stream()
                .flatMap(one -> one.text("permissions").stream())
                .filter(text -> !text.contains("w"))
                .forEach(draft.permissions::add);
        if (check(handler.orElseThrow(), rules, before)) {
            write(resource.orElseThrow(), rules, isGrouped, draft);
        }
    }

    private static DraftClass draft(Part spec) {
        DraftClass draft = new DraftClass();
        int capacity = spec.number("capacity").orElse(1);
        if (capacity > Sharing.MAX_SHARES) {
            spec.mistake("capacity must be 1 to " + Sharing.MAX_SHARES + ", the shares that a device can have");
        }
        draft.shares.add(capacity);
        if (!spec.others().isEmpty()) {
            draft.comments.add("No counterpart: " + String.join(", ", spec.others())
                    + ". Write a Deployment or DaemonSet whose pods ask for this resource.");
        }
        return draft;
    }

    private static Optional<Part> part(Part parent, String key) {
        Optional<Part> part = parent.get(key);
        if (part.isEmpty()) {
            parent.mistake(key + " is missing");
        }
        return part;
    }

    private static boolean check(Part handler, List<UdevRule> rules, int before) {
        boolean areRead = handler.place().mistakes().count() == before;
        if (areRead && rules.isEmpty()) {
            handler.mistake("has no udevRules");
        } else if (areRead && rules.stream().map(UdevRule::isUsb).distinct().count() > 1) {
            handler.mistake(
                    "has rules for USB devices and others, but a class has one kind: make two Configurations of it");
        } else if (areRead
                && rules.stream().map(UdevRule::nodes).distinct().count() > 1
                && rules.getFirst().isUsb()) {
            handler.mistake(
                    "has rules for several subsystems of USB devices, but a class has one list of nodes for all: make"
                            + " a Configuration for each");
        }
        return handler.place().mistakes().count() == before;
    }

    private void write(ResourceName resource, List<UdevRule> rules, boolean isGrouped, DraftClass draft) {
        if (rules.getFirst().isUsb()) {
            Optional<UdevNodes> nodes = rules.getFirst().nodes();
            nodes.map(UdevNodes::word).ifPresent(draft.usbNodes::add);
            if (!isGrouped && !nodes.equals(Optional.of(UdevNodes.USB))) {
                draft.comments.add("Each device node was a device there. Here a USB device is one, with its nodes.");
            }
            rules.forEach(rule -> draft.addUsb(rule.words()));
        } else {
            if (isGrouped) {
                draft.comments.add("groupRecursive has no counterpart for files, and each of them is a device here."
                        + " A class of kind usb has all nodes of a USB device.");
            }
            draft.single.addAll(rules.stream()
                    .flatMap(rule -> rule.paths().stream())
                    .distinct()
                    .toList());
        }
        draft.write(classes, resource, draft.permissions.stream().findFirst().orElse(""));
    }
}
