package io.edgeplug.lab.simulation;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Replaces data that identifies a captured node by placeholders: MAC addresses, GUIDs, serial numbers, and the
 * addresses in its routing tables.
 *
 * <p>An identity has the same placeholder everywhere, even in names of interfaces, and in each capture of the same
 * node. All zeros and all ones stay, because they mean unset or broken.
 */
final class Identities {

    private static final String DIGIT = "[0-9a-fA-F]";

    /**
     * A MAC address, which for InfiniBand has 20 bytes; a GUID or half a GID; also in the name of an interface or RDMA
     * device.
     */
    private static final Pattern ANYWHERE = Pattern.compile(String.join(
                    "|",
                    "(?<![0-9a-fA-F:])%1$s{2}(?::%1$s{2}){5,19}(?![0-9a-fA-F:])",
                    "(?<!%1$s)%1$s{4}(?::%1$s{4}){3}(?!%1$s)",
                    "(?<=\\b(?:en|wl|ww|ib|iw|opa|roce)x)%1$s{12,16}\\b")
            .formatted(DIGIT));

    /** Files whose whole content is an identity, of any form. */
    private static final Pattern FILE = Pattern.compile("(?i).*serial.*|.*guid.*|phys_(port|switch)_id|unique_id");

    private static final Pattern ROUTES = Pattern.compile("proc/net/(route|ipv6_route|if_inet6)");

    /** The destination and the gateway of an IPv4 route, and any IPv6 address. */
    private static final Pattern NET_ADDRESS = Pattern.compile(
            "(?<=^\\S{1,16}\\s)%1$s{8}(?=\\s)|(?<=^\\S{1,16}\\s%1$s{8}\\s)%1$s{8}|\\b%1$s{32}\\b".formatted(DIGIT));

    /** Each interface has addresses and routes of its link. */
    private static final Pattern OF_LINK = Pattern.compile("(fe80|ff).*");

    private static final Pattern DEFAULT_ROUTE = Pattern.compile("(\\S+\\s+0{8}\\s|0{32}\\s+00\\s|Iface).*");

    private static final Pattern MEANS_SOMETHING = Pattern.compile("[0:-]*|[fF:-]*|(?i)fe80(:0000){3}");
    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F:-]{4,}");

    private final Map<String, Integer> numbers = new HashMap<>();

    /** A path, or a link's target. */
    String path(String path) {
        return ANYWHERE.matcher(path).replaceAll(match -> placeholder(match.group()));
    }

    /** A file's content. Its bytes that are not ASCII stay. */
    byte[] content(Path path, byte[] content) {
        String text = new String(content, StandardCharsets.ISO_8859_1);
        return replaced(path, text).getBytes(StandardCharsets.ISO_8859_1);
    }

    private String replaced(Path path, String text) {
        if (FILE.matcher(String.valueOf(path.getFileName())).matches()) {
            return text.lines().map(line -> placeholder(line.strip()) + "\n").collect(Collectors.joining());
        }
        if (ROUTES.matcher(path.toString()).matches()) {
            // The other routes describe the network around the node, and may be many. One of each interface is enough.
            boolean isFirst = path.endsWith("route");
            Set<String> seen = new HashSet<>();
            return text.lines()
                    .filter(line -> DEFAULT_ROUTE.matcher(line).matches()
                            || (!OF_LINK.matcher(line).matches() && seen.add(interfaceOf(line, isFirst))))
                    .map(line -> NET_ADDRESS
                                    .matcher(path(line))
                                    .replaceAll(match -> placeholder(match.group()))
                                    .strip() + "\n")
                    .collect(Collectors.joining());
        }
        return path(text);
    }

    /** The interface is the first field of an IPv4 route, and the last one elsewhere. */
    private static String interfaceOf(String line, boolean isFirst) {
        String[] fields = line.strip().split("\\s+", -1);
        return isFirst ? fields[0] : fields[fields.length - 1];
    }

    /**
     * A placeholder of the same length and form if it is hexadecimal. It begins with 02, which marks a locally
     * administered MAC address.
     */
    private String placeholder(String identity) {
        if (MEANS_SOMETHING.matcher(identity).matches()) {
            return identity;
        }
        String key = identity.toLowerCase(Locale.ROOT).replaceAll("[:-]", "");
        int number = numbers.computeIfAbsent(key, unknown -> numbers.size() + 1);
        if (!HEX.matcher(identity).matches()) {
            return "identity-" + number;
        }
        String digits = "02" + "%0" + (key.length() - 2) + "x";
        StringBuilder placeholder = new StringBuilder(identity);
        String replacement = digits.formatted(number);
        int next = 0;
        for (int i = 0; i < identity.length(); i++) {
            if (Character.digit(identity.charAt(i), 16) >= 0) {
                placeholder.setCharAt(i, replacement.charAt(next++));
            }
        }
        return placeholder.toString();
    }
}
