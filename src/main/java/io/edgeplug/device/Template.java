package io.edgeplug.device;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A text with names in braces that are filled in for each device: {@code vf-{bdf}}; a brace itself is doubled. */
public final class Template {

    private static final Pattern PART = Pattern.compile("\\{\\{|}}|\\{(\\w*)}|[{}]");

    /** What a name in braces stands for. */
    public enum Name {
        /** The device's ID. */
        ID,
        /** The address of its PCI function. */
        BDF,
        /** The address of a VF's PF. */
        PF,
        /** A network interface of a VF's PF. */
        PF_NAME,
        /** A VF's number among those of its PF. */
        VF,
        /** Where its administrator keeps the image that a vendor's tool loads: a copy that was verified. */
        FILE;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** What a device of any kind has, {@link #FILE} not among it. */
        private Optional<String> of(Device device) {
            return switch (this) {
                case ID -> Optional.of(device.id());
                case BDF ->
                    device instanceof PciDevice pci
                            ? Optional.of(pci.function().address().toString())
                            : Optional.empty();
                case PF -> vf(device).map(vf -> vf.physicalFunction().toString());
                case PF_NAME ->
                    vf(device).flatMap(vf -> vf.physicalNetNames().stream().findFirst());
                case VF -> vf(device).map(vf -> String.valueOf(vf.index()));
                case FILE -> Optional.empty();
            };
        }

        private static Optional<VirtualFunction> vf(Device device) {
            return device instanceof VirtualFunction vf ? Optional.of(vf) : Optional.empty();
        }

        private boolean concerns(Kind kind) {
            return switch (this) {
                case ID -> true;
                case BDF -> kind != Kind.PATH;
                case PF, PF_NAME, VF -> kind == Kind.VF;
                case FILE -> false;
            };
        }
    }

    private final String text;

    private Template(String text) {
        this.text = text;
    }

    /**
     * Reads a text for devices of a kind.
     *
     * @param others names that it may hold besides those that such devices have
     * @throws IllegalArgumentException if it has a name that such devices do not have, or a brace that stands alone
     */
    public static Template parse(String text, Kind kind, Name... others) {
        List<Name> allowed = Stream.concat(
                        Stream.of(Name.values()).filter(name -> name.concerns(kind)), Stream.of(others))
                .toList();
        for (MatchResult part : PART.matcher(text).results().toList()) {
            boolean isName = part.group(1) != null;
            if (isName && allowed.stream().noneMatch(name -> name.word().equals(part.group(1)))) {
                throw new IllegalArgumentException(part.group() + " is none of "
                        + allowed.stream().map(name -> "{" + name.word() + "}").collect(Collectors.joining(", ")));
            }
            if (!isName && part.group().length() == 1) {
                throw new IllegalArgumentException("has a brace that stands alone; doubled, it means itself");
            }
        }
        return new Template(text);
    }

    /**
     * The text for a device; empty if it lacks something that this device happens not to have.
     *
     * @param others what the names that devices do not have stand for
     */
    public Optional<String> fill(Device device, Map<Name, String> others) {
        StringBuilder filled = new StringBuilder();
        Matcher parts = PART.matcher(text);
        while (parts.find()) {
            String value = parts.group().substring(1);
            if (parts.group(1) != null) {
                Name name = Name.valueOf(parts.group(1).toUpperCase(Locale.ROOT));
                Optional<String> found = Optional.ofNullable(others.get(name)).or(() -> name.of(device));
                if (found.isEmpty()) {
                    return Optional.empty();
                }
                value = found.orElseThrow();
            }
            parts.appendReplacement(filled, Matcher.quoteReplacement(value));
        }
        return Optional.of(parts.appendTail(filled).toString());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Template template && text.equals(template.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
