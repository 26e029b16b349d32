package io.edgeplug.system.files;

import io.edgeplug.system.kernel.LinkMessage;
import io.edgeplug.system.kernel.Netlink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The alternative names of network interfaces, as {@code ip link property add altname} and udev give them. They come by
 * netlink only, so a captured node has them in a file.
 */
public final class AlternativeNames {

    /** A line for each interface that has some: its name, and the alternative ones. */
    static final String FILE = "proc/net/altnames";

    private static final Path RUNNING = Path.of("/");

    // These numbers are those of linux/if_link.h.
    private static final int IFLA_PROP_LIST = 52;
    private static final int IFLA_ALT_IFNAME = 53;

    private static final int MAX_NAMES = 16;

    private final Sysfs sysfs;

    /** The names that were read, by interface. */
    private final Map<String, List<String>> known = new ConcurrentHashMap<>();

    private volatile @Nullable Map<String, List<String>> captured;

    /** Those of a node, each read once, when it is first needed. */
    public AlternativeNames(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /**
     * Those of an interface, in the order in which it got them; none if it has none, or is gone.
     *
     * @throws IOException if the file of a captured node cannot be read
     */
    public List<String> of(String netInterface) throws IOException {
        List<String> before = known.get(netInterface);
        if (before != null) {
            return before;
        }
        List<String> now = List.copyOf(read(netInterface));
        known.put(netInterface, now);
        return now;
    }

    private List<String> read(String netInterface) throws IOException {
        if (!sysfs.locate("").equals(RUNNING)) {
            return captured().getOrDefault(netInterface, List.of());
        }
        try {
            List<String> names = parse(LinkMessage.ask(netInterface, 0));
            if (!names.isEmpty()) {
                sysfs.note(FILE, netInterface + " " + String.join(" ", names) + "\n");
            }
            return names;
        } catch (IOException e) {
            // An interface may go at any time, and a kernel before 5.5 has no such names.
            return List.of();
        }
    }

    private Map<String, List<String>> captured() throws IOException {
        Map<String, List<String>> before = captured;
        if (before != null) {
            return before;
        }
        String text = new String(sysfs.readBytes(FILE, 1 << 20).orElse(new byte[0]), StandardCharsets.UTF_8);
        Map<String, List<String>> all = new HashMap<>();
        text.lines().map(line -> List.of(line.strip().split("\\s+"))).forEach(line -> {
            List<String> names = line.subList(1, Math.min(line.size(), 1 + MAX_NAMES));
            List<String> ignored = all.putIfAbsent(line.getFirst(), names);
        });
        captured = all;
        return all;
    }

    /** The names in an answer. Nothing is read beyond its end. */
    static List<String> parse(ByteBuffer answer) {
        List<String> names = new ArrayList<>();
        Netlink.each(
                LinkMessage.attributes(answer),
                IFLA_PROP_LIST,
                list -> Netlink.each(list, IFLA_ALT_IFNAME, name -> add(names, name)));
        return names;
    }

    private static void add(List<String> names, ByteBuffer value) {
        String name = Netlink.text(value);
        if (names.size() < MAX_NAMES && !name.isEmpty()) {
            names.add(name);
        }
    }
}
