package io.edgeplug.model.convert;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** A subsystem of udev whose device nodes a class can name. */
enum UdevNodes {
    USB("usb", "", "", "", ""),
    VIDEO4LINUX("video", "/dev/", "video.*", "video*", "0e"),
    MEDIA("media", "/dev/", "media.*", "media*", "0e"),
    SOUND("sound", "/dev/snd/", "(pcm|control|midi|hw)C.*", "*C*", "01"),
    INPUT("input", "/dev/input/", "(event|mouse|js).*", "event*", "03"),
    HIDRAW("hidraw", "/dev/", "hidraw.*", "hidraw*", "03"),
    TTY("tty", "/dev/", "tty.*", "", "");

    private static final Pattern REPEATED_SET = Pattern.compile("\\[[^\\]]*\\]\\*");
    private static final Pattern SET = Pattern.compile("\\[[^\\]]*\\]");

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

    /** The path of a device node with such a name. */
    static String path(String kernel) {
        String glob = SET.matcher(REPEATED_SET.matcher(kernel).replaceAll("*")).replaceAll("?");
        return ofName(kernel).map(one -> one.directory).orElse("/dev/") + glob;
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
