package io.edgeplug.model.convert;

import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.Mistakes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Writes device classes from the configuration of another device plugin, which it recognizes by its keys. */
public final class Conversion {

    private static final String MICROSHIFT = "genericDevicePlugin";
    private static final String MICROSHIFT_DOMAIN = "device.microshift.io";
    private static final int MAX_DEPTH = 8;

    /** A text with a key of a configuration. */
    private static final Pattern CONFIGURATION =
            Pattern.compile("resourceList|configList|devicematch|\\bgroups\"?\\s*:");

    private final NewClasses classes;
    private final Set<String> plugins = new LinkedHashSet<>();

    /**
     * The value of an argument.
     *
     * @param from where it begins in the argument
     */
    private record Value(Part argument, int from) {

        String text() {
            return argument.text().orElse("").substring(from).strip();
        }
    }

    private Conversion(NewClasses classes) {
        this.classes = classes;
    }

    /**
     * The classes. One that cannot be expressed is left out if there are others.
     *
     * @param file its name, for mistakes
     * @param text JSON or YAML, also in a ConfigMap, or as the arguments in a DaemonSet
     * @param domain of resources if the file names none, instead of the plugin's default
     * @throws ConfigException with every mistake in it, and every setting that a class cannot express
     */
    public static Converted of(String file, String text, @Nullable String domain, TargetNode node)
            throws ConfigException {
        Mistakes mistakes = new Mistakes();
        Conversion conversion = new Conversion(new NewClasses(node, domain));
        List<Part> documents = SourceText.read(new Part.Place(mistakes, file, 0, ""), text);
        documents.forEach(conversion::convert);
        if (mistakes.count() == 0 && conversion.classes.isEmpty()) {
            mistakes.add(file, text.isBlank() ? "is empty" : "has nothing that becomes a class on this node");
        }
        if (conversion.classes.isEmpty() || mistakes.count() > conversion.classes.leftOut()) {
            mistakes.throwIfAny();
        }
        ClassText heading = new ClassText();
        heading.comment("Made by edgeplug convert from a configuration of " + String.join(", ", conversion.plugins)
                + ". Read the comments, then run edgeplug check.");
        return new Converted(heading.toString() + conversion.classes.text(), mistakes.texts());
    }

    /**
     * What a file was converted to.
     *
     * @param classes as a file for {@code class.d}
     * @param leftOut a line for each setting that a class cannot express, so that the class was left out
     */
    public record Converted(String classes, List<String> leftOut) {}

    private void convert(Part document) {
        if (document.has("resourceList")) {
            plugins.add(SriovPlugin.NAME);
            new SriovPlugin(classes).convert(document);
        } else if (document.has("configList")) {
            plugins.add(RdmaSharedPlugin.NAME);
            new RdmaSharedPlugin(classes).convert(document);
        } else if (document.has("devices") || document.has("device")) {
            plugins.add(GenericPlugin.NAME);
            new GenericPlugin(classes).convertFile(document, GenericPlugin.USUAL_DOMAIN);
        } else if (document.has(MICROSHIFT)) {
            plugins.add(GenericPlugin.NAME);
            document.get(MICROSHIFT).ifPresent(this::microshift);
        } else if (document.has("groups")) {
            plugins.add(GenericPlugin.NAME);
            new GenericPlugin(classes).convert(document);
        } else if (document.has("kind") && document.has("apiVersion")) {
            object(document);
        } else if (document.isList()) {
            list(document);
        } else if (!within(document, MAX_DEPTH)) {
            document.mistake("is no configuration of " + String.join(", ", SriovPlugin.NAME, RdmaSharedPlugin.NAME)
                    + ", " + GenericPlugin.NAME + ", " + SmarterManager.NAME + " or " + AkriUdev.NAME);
        }
    }

    /** The part of MicroShift's configuration that has that plugin's. */
    private void microshift(Part inner) {
        if (inner.text("status").filter(status -> !status.equals("Enabled")).isPresent()) {
            classes.text().remark("The plugin was not enabled in this file.");
        }
        new GenericPlugin(classes).convertFile(inner, MICROSHIFT_DOMAIN);
    }

    /** Finds configurations in the values of a Helm chart, which may be of any form. Returns whether there is one. */
    private boolean within(Part part, int depth) {
        boolean isFound = false;
        if (depth > 0 && part.isTable()) {
            if (part.has("args")) {
                arguments(part);
                isFound = !plugins.isEmpty();
            }
            for (Part value : part.all().values()) {
                if (isConfiguration(value)) {
                    convert(value);
                    isFound = true;
                } else if (value.isText()
                        && CONFIGURATION.matcher(value.text().orElse("")).find()) {
                    value.documents(0).forEach(this::convert);
                    isFound = true;
                } else {
                    isFound |= within(value, depth - 1);
                }
            }
        }
        return isFound;
    }

    private static boolean isConfiguration(Part part) {
        return part.has("resourceList")
                || part.has("configList")
                || part.has(MICROSHIFT)
                || (part.has("devices") && isOfDevices(part.elements("devices")))
                || (part.isList() && isOfDevices(part.elements()));
    }

    private static boolean isOfDevices(List<Part> elements) {
        return elements.stream().anyMatch(one -> one.has("devicematch") || one.has("groups"));
    }

    private void list(Part document) {
        if (document.elements().stream().anyMatch(part -> part.has("devicematch"))) {
            plugins.add(SmarterManager.NAME);
            new SmarterManager(classes).convert(document);
        } else {
            plugins.add(GenericPlugin.NAME);
            document.elements().forEach(new GenericPlugin(classes)::convert);
        }
    }

    /** Objects with which a plugin is configured in a cluster. Other objects may stand in the same files. */
    private void object(Part object) {
        String kind = object.text("kind").orElse("");
        if (kind.equals("ConfigMap")) {
            object.get("data")
                    .ifPresent(data -> data.all()
                            .values()
                            .forEach(file -> file.documents(0).forEach(this::convert)));
        } else if (kind.equals("Configuration")
                && object.text("apiVersion")
                        .filter(version -> version.startsWith(AkriUdev.GROUP + "/"))
                        .isPresent()) {
            plugins.add(AkriUdev.NAME);
            new AkriUdev(classes).convert(object);
        } else if (kind.equals("List")) {
            object.elements("items").forEach(this::convert);
        } else {
            object.get("spec")
                    .flatMap(spec -> spec.get("template"))
                    .flatMap(template -> template.get("spec"))
                    .ifPresent(pod -> pod.elements("containers").forEach(this::arguments));
        }
    }

    private void arguments(Part container) {
        List<Value> domains = values(container, "--domain");
        String domain = domains.isEmpty()
                ? GenericPlugin.USUAL_DOMAIN
                : domains.getLast().text();
        for (Value device : values(container, "--device")) {
            plugins.add(GenericPlugin.NAME);
            device.argument().documents(device.from()).forEach(one -> new GenericPlugin(classes).convert(one, domain));
        }
    }

    /** The values of an option. A value follows a {@code =}, or is the next argument. */
    private static List<Value> values(Part container, String option) {
        List<Value> values = new ArrayList<>();
        boolean isNext = false;
        for (Part argument : container.elements("args")) {
            String text = argument.text().orElse("");
            if (isNext) {
                values.add(new Value(argument, 0));
            } else if (text.startsWith(option + "=")) {
                values.add(new Value(argument, option.length() + 1));
            }
            isNext = text.equals(option);
        }
        return values;
    }
}
