package io.edgeplug.model.convert;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A subsystem of udev whose device nodes a class can name. */
enum UdevNodes {
    USB("usb", "", "", "", ""),
    VIDEO4LINUX("video", "/dev/", "video.*", "video*", "0e"),
    MEDIA("media", "/dev/", "media.*", "media*", "0e"),
    SOUND("sound", "/dev/snd/", "(pcm|control|midi|hw)C.*", "*C*", "01"),
    INPUT("input", "/dev/input/", "(event|mouse|js).*", "event*", "03"),
    HIDRAW("hidraw", "/dev/", "hidraw.*", "hidraw*", "03"),
    TTY("tty", "/dev/", "tty.*", "", "");

    private static final Pattern ANY_NUMBER = Pattern.compile("\\[0-9\\]\\*");
    private static final Pattern ANY_DIGIT = Pattern.compile("\\[0-9\\]");
    private static final Pattern SET = Pattern.compile("\\[([0-9a-zA-Z-]+)\\]");
    private static final int MAX_NAMES = 64;

    private final String word;
    private final String directory;
    private final Pattern names;
    private final String usual;
    private final String interfaceClass;

    UdevNodes(String word, String directory, String names, String usual, String interfaceClass) {
        this.word = word;
        this.directory = directory;
        this.names = Pattern.compile(names);
        this.usual = usual;
        this.interfaceClass = interfaceClass;
    }

    static Optional<UdevNodes> ofSubsystem(String text) {
        return Arrays.stream(values())
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst();
    }

    /** That of the device nodes with such a name, which may be a pattern. */
    static Optional<UdevNodes> ofName(String kernel) {
        return Arrays.stream(values())
                .filter(one -> one.names.matcher(kernel).matches())
                .findFirst();
    }

    /**
     * The paths of the device nodes with such a name. Any digit is a pattern of edgeplug's too. Of another set, each character
     * is written out.
     */
    static List<String> paths(String kernel) {
        String directory = ofName(kernel).map(one -> one.directory).orElse("/dev/");
        List<String> names = List.of(
                ANY_DIGIT.matcher(ANY_NUMBER.matcher(kernel).replaceAll("*")).replaceAll("?"));
        while (names.stream().anyMatch(name -> SET.matcher(name).find())) {
            names = names.stream()
                    .flatMap(UdevNodes::withoutFirstSet)
                    .limit(MAX_NAMES)
                    .toList();
        }
        return names.stream().map(name -> directory + name).toList();
    }

    private static Stream<String> withoutFirstSet(String name) {
        Matcher set = SET.matcher(name);
        if (!set.find()) {
            return Stream.of(name);
        }
        String before = name.substring(0, set.start());
        String after = name.substring(set.end());
        return characters(set.group(1)).map(one -> before + one + after);
    }

    /** The characters of a set such as {@code 0-35}. */
    private static Stream<String> characters(String set) {
        List<String> characters = new ArrayList<>();
        for (int i = 0; i < set.length(); i++) {
            boolean isRange = i + 2 < set.length() && set.charAt(i + 1) == '-';
            char last = isRange ? set.charAt(i + 2) : set.charAt(i);
            for (char one = set.charAt(i); one <= last; one++) {
                characters.add(String.valueOf(one));
            }
            i += isRange ? 2 : 0;
        }
        return characters.stream();
    }

    /** The paths of all its nodes; none if they are not only those of devices. */
    List<String> paths() {
        return usual.isEmpty() ? List.of() : List.of(directory + usual);
    }

    /** The word for {@code nodes} of a class. */
    String word() {
        return word;
    }

    /** The interface class of USB devices with such nodes; empty if there is no such class. */
    Optional<String> interfaceClass() {
        return Optional.of(interfaceClass).filter(code -> !code.isEmpty());
    }
}
