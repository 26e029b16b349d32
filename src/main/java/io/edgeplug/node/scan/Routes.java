package io.edgeplug.node.scan;

import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelRoutes;
import io.edgeplug.system.kernel.KernelRoutes.Route;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The interfaces with routes and addresses of the node, for IPv4 and IPv6. The kernel tells all of its routes by netlink
 * alone, so a captured node has them in a file. A node that was captured by an earlier edgeplug has the tables of proc(5),
 * which show the main table, and of each IPv4 route the first next hop. The kernel makes a route for each IPv4 address,
 * and lists IPv6 addresses by themselves.
 *
 * @param ofDefault those of a default route, also of one that is divided into the halves of all addresses, each with the
 *     route as a person calls it
 * @param ofAddresses those with a route or an address beyond their link
 * @param isOfAllTables whether the routes of all tables are known
 */
record Routes(Map<String, String> ofDefault, Set<String> ofAddresses, boolean isOfAllTables) {

    /** A line for each route; see {@link Route#toString}. */
    static final String FILE = "proc/net/routes";

    private static final Path RUNNING = Path.of("/");

    /** A node that is a router may have many routes. Routes beyond this size are not seen. */
    private static final int MAX_TABLE_BYTES = 1 << 22;

    /** All unicast addresses of the Internet begin with the same three bits. */
    private static final int IPV6_DEFAULT = 3;

    private static final int IPV4_DEFAULT = 1;

    private static final String MAIN = String.valueOf(KernelRoutes.MAIN);

    static Routes read(Sysfs sysfs) throws IOException {
        List<Route> all = all(sysfs);
        Routes routes = new Routes(new TreeMap<>(), new TreeSet<>(), !all.isEmpty());
        if (all.isEmpty()) {
            routes.addMainTables(sysfs);
        }
        for (Route route : all) {
            routes.add(
                    route.netInterface(),
                    route.prefix(),
                    route.isIpv6() ? IPV6_DEFAULT : IPV4_DEFAULT,
                    Integer.toUnsignedString(route.table()));
        }
        lines(sysfs, "if_inet6")
                .filter(line -> line.length > 5 && isBeyondLink(line[0]))
                .forEach(line -> routes.add(line[5], Integer.MAX_VALUE, IPV6_DEFAULT, MAIN));
        return routes;
    }

    /** A running kernel has routes of its loopback addresses at least, unless its networks are all down. */
    private static List<Route> all(Sysfs sysfs) throws IOException {
        if (!sysfs.locate("").equals(RUNNING)) {
            return sysfs.readBytes(FILE, MAX_TABLE_BYTES).stream()
                    .flatMap(bytes -> new String(bytes, StandardCharsets.UTF_8).lines())
                    .flatMap(line -> Route.parse(line).stream())
                    .toList();
        }
        try {
            Set<Route> routes = KernelRoutes.read();
            routes.stream().map(Route::toString).sorted().forEach(line -> sysfs.note(FILE, line + "\n"));
            return List.copyOf(routes);
        } catch (IOException e) {
            throw new IOException("read routes: " + e.getMessage(), e);
        }
    }

    private void addMainTables(Sysfs sysfs) throws IOException {
        lines(sysfs, "route")
                .filter(line -> line.length > 7 && line[7].matches("[0-9A-F]{8}"))
                .forEach(line -> add(line[0], Long.bitCount(Long.parseLong(line[7], 16)), IPV4_DEFAULT, MAIN));
        lines(sysfs, "ipv6_route")
                .filter(line -> line.length > 9 && line[1].matches("[0-9a-f]{2}") && isBeyondLink(line[0]))
                .forEach(line -> add(line[9], Integer.parseInt(line[1], 16), IPV6_DEFAULT, MAIN));
    }

    /** The kernel adds a default route on lo that refuses packets. An IPv4 line with * names no interface either. */
    private void add(String name, int prefix, int longestDefault, String table) {
        if (name.equals("lo") || name.equals("*")) {
            return;
        }
        if (prefix > longestDefault) {
            ofAddresses.add(name);
        } else if (table.equals(MAIN)) {
            ofDefault.put(name, "the default route");
        } else {
            ofDefault.putIfAbsent(name, "the default route of table " + table);
        }
    }

    /** Each IPv6 interface has an address of its link, and a route for multicast. */
    private static boolean isBeyondLink(String address) {
        return !address.startsWith("fe80") && !address.startsWith("ff");
    }

    /**
     * The table of the network namespace. With {@code ProcSubset=pid} (systemd.exec(5)), as the units have it, {@code /proc}
     * has processes alone, and not its link {@code net}.
     */
    static Stream<String[]> lines(Sysfs sysfs, String table) throws IOException {
        Optional<byte[]> seen = sysfs.readBytes("proc/net/" + table, MAX_TABLE_BYTES);
        return (seen.isPresent() ? seen : sysfs.readBytes("proc/thread-self/net/" + table, MAX_TABLE_BYTES))
                .stream()
                        .flatMap(bytes -> new String(bytes, StandardCharsets.UTF_8).lines())
                        .map(line -> line.strip().split("\\s+", -1));
    }
}
