package io.edgeplug.scan;

import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The network interfaces without which the node would lose its default route, for IPv4 or IPv6; see proc(5).
 *
 * <p>These are the interfaces of the routes and those below them: the ports of a bond or a bridge, and the interface
 * below a VLAN.
 */
final class DefaultRoute {

    /** A node that is a router may have many routes. Routes beyond this size are not seen. */
    private static final int MAX_TABLE_BYTES = 1 << 22;

    private static final String IPV4_ANYWHERE = "00000000";
    private static final String IPV6_ANYWHERE = "0".repeat(32);
    private static final String LOWER = "lower_";

    private final Sysfs sysfs;
    private Optional<Set<String>> interfaces = Optional.empty();

    DefaultRoute(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /** Whether one of these names is such an interface. The first call reads the routes. */
    boolean needsAnyOf(Collection<String> netNames) throws IOException {
        if (interfaces.isEmpty()) {
            interfaces = Optional.of(interfaces());
        }
        return netNames.stream().anyMatch(interfaces.orElseThrow()::contains);
    }

    private Set<String> interfaces() throws IOException {
        Set<String> needed = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(named());
        while (!next.isEmpty()) {
            String name = next.remove();
            if (needed.add(name)) {
                sysfs.names("sys/class/net/" + name).stream()
                        .filter(link -> link.startsWith(LOWER))
                        .forEach(link -> next.add(link.substring(LOWER.length())));
            }
        }
        return needed;
    }

    private List<String> named() throws IOException {
        Stream<String> ipv4 = routes("proc/net/route")
                .filter(route -> route.length > 7 && route[1].equals(IPV4_ANYWHERE) && route[7].equals(IPV4_ANYWHERE))
                .map(route -> route[0]);
        Stream<String> ipv6 = routes("proc/net/ipv6_route")
                .filter(route -> route.length > 9 && route[0].equals(IPV6_ANYWHERE) && route[1].equals("00"))
                .map(route -> route[9]);
        // The kernel adds a default route on lo that refuses packets. An IPv4 line with * names no interface either.
        return Stream.concat(ipv4, ipv6)
                .filter(name -> !name.equals("lo") && !name.equals("*"))
                .toList();
    }

    private Stream<String[]> routes(String table) throws IOException {
        return sysfs.readBytes(table, MAX_TABLE_BYTES).stream()
                .flatMap(bytes -> new String(bytes, StandardCharsets.UTF_8).lines())
                .map(line -> line.strip().split("\\s+", -1));
    }
}
