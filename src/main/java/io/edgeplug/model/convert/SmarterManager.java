package io.edgeplug.model.convert;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.files.PathGlob;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The {@code conf.yaml} of smarter-device-manager: regular expressions for names in {@code /dev}. Each matching file is
 * a resource, as in its README.md and main.go.
 */
final class SmarterManager {

    static final String NAME = "smarter-device-manager";

    private static final String USUAL_DOMAIN = "smarter-devices";
    private static final String DEV = "/dev/";
    private static final int MAX_EXPRESSION = 256;

    /** The name of one file, such as {@code ^snd$}. */
    private static final Pattern LITERAL = Pattern.compile("\\^?[A-Za-z0-9_/-]+\\$?");

    /** A repeated group can make an expression take for ever. */
    private static final Pattern REPEATED_GROUP = Pattern.compile("\\)[*+{]");

    private final NewClasses classes;
    private final NodePaths paths;

    SmarterManager(NewClasses classes) {
        this.classes = classes;
        this.paths = new NodePaths(classes.node().sysfs());
    }

    void convert(Part file) {
        List<String> files;
        try {
            files = paths.below("/dev").stream()
                    .map(path -> path.substring(DEV.length()))
                    .toList();
        } catch (IOException e) {
            file.mistake("cannot be converted, because /dev of this node cannot be read: " + e.getMessage());
            return;
        }
        for (Part device : file.elements()) {
            if (device.isTable()) {
                classes.attempt(device, () -> convert(device, files));
            } else {
                device.mistake("must have devicematch and nummaxdevices");
            }
        }
    }

    private void convert(Part device, List<String> files) {
        int before = device.place().mistakes().count();
        Optional<String> expression = device.required("devicematch");
        OptionalInt shares = device.shares("nummaxdevices");
        device.others()
                .forEach(key -> classes.text().comment(key + " is not a key of " + NAME + " and had no effect."));
        Optional<Pattern> pattern = expression.flatMap(text -> compiled(device, text));
        if (pattern.isEmpty() || device.place().mistakes().count() > before) {
            return;
        }
        List<String> found = files.stream()
                .filter(name -> pattern.orElseThrow().matcher(name).find())
                .toList();
        String text = expression.orElseThrow();
        List<String> literals = Expression.literals(text);
        if (literals.size() > 1) {
            for (String name : literals) {
                boolean isThere = found.contains(name);
                write(
                        device,
                        name,
                        shares.getAsInt(),
                        isThere ? List.of() : List.of("This node has no such file now."));
            }
        } else if (!found.isEmpty()) {
            boolean isLiteral = LITERAL.matcher(text).matches();
            for (String name : found) {
                boolean isFirst = name.equals(found.getFirst());
                write(device, name, shares.getAsInt(), isFirst && !isLiteral ? ofAll(text, found) : List.of());
            }
        } else if (LITERAL.matcher(text).matches()) {
            write(device, text.replaceAll("[$^]", ""), shares.getAsInt(), List.of("This node has no such file now."));
        } else {
            classes.text()
                    .remark(text + " matches no file of this node now, so there is no class for it."
                            + Expression.pattern(text)
                                    .map(path -> " A class with " + DEV + path + " would take such files.")
                                    .orElse(""));
        }
    }

    private static List<String> ofAll(String text, List<String> found) {
        return List.of(text
                + " made a resource of each file. These are the files of this node now, and one that appears"
                + " later needs another class."
                + Expression.pattern(text)
                        .filter(path -> found.stream()
                                .allMatch(name -> PathGlob.parse(DEV + path).matches(DEV + name)))
                        .map(path -> " One class with " + DEV + path + " would make one resource of them all.")
                        .orElse(""));
    }

    private static Optional<Pattern> compiled(Part device, String text) {
        if (text.equals("nvidia-gpu")) {
            device.mistake(
                    "devicematch nvidia-gpu means GPUs of NVIDIA's container runtime, which edgeplug does not offer");
        } else if (text.length() > MAX_EXPRESSION
                || REPEATED_GROUP.matcher(text).find()) {
            device.mistake("devicematch \"" + text + "\" is longer than " + MAX_EXPRESSION
                    + " characters or repeats a group; write a simpler one");
        } else {
            try {
                return Optional.of(Pattern.compile(text));
            } catch (PatternSyntaxException e) {
                device.mistake("devicematch \"" + text + "\" is no regular expression: " + e.getDescription());
            }
        }
        return Optional.empty();
    }

    private void write(Part device, String name, int shares, List<String> comments) {
        String path = paths.asWritten(DEV + name);
        String safe = name.replaceAll("[^A-Za-z0-9_-]", "_");
        Optional<ResourceName> resource = classes.claim(device, classes.domain(USUAL_DOMAIN) + "/" + safe);
        if (resource.isEmpty()) {
            return;
        }
        ClassText text = classes.text();
        text.beginClass(resource.orElseThrow(), Kind.PATH, comments);
        if (shares > 1) {
            text.number("shares", shares);
        }
        classes.files().write(resource.orElseThrow(), List.of(path), text);
        if (path.endsWith("/")) {
            text.comment(path + " is a directory. A container gets the device nodes that are in it when it starts.");
        }
        text.table("[class.match]", List.of());
        text.strings("paths", List.of(path));
    }
}
