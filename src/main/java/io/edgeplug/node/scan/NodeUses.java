package io.edgeplug.node.scan;

import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.NodeUse.Level;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the node itself uses network interfaces.
 *
 * <p>A route or an address also counts for all interfaces below: the ports of a bond or a bridge, and the interface
 * below a VLAN. So this goes down from the interfaces with routes and addresses, and up from an interface to the bonds
 * and bridges that it or one above it is a port of.
 */
final class NodeUses {

    private static final int UP = 0x1;
    private static final int NOARP = 0x80;
    private static final int MASTER = 0x400;

    private final Sysfs sysfs;
    private final NetStack stack;
    private @Nullable Map<String, NodeUse> routed;
    private boolean isOfAllTables;

    NodeUses(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.stack = new NetStack(sysfs);
    }

    /** The use of a function with these interfaces. The first call reads the routes and addresses of the node. */
    NodeUse of(Collection<String> netNames) throws IOException {
        if (netNames.isEmpty()) {
            return NodeUse.NONE;
        }
        if (routed == null) {
            routed = routed();
        }
        NodeUse use = NodeUse.NONE;
        for (String name : netNames) {
            use = use.or(routed.getOrDefault(name, NodeUse.NONE)).or(asPort(name));
        }
        return use;
    }

    private Map<String, NodeUse> routed() throws IOException {
        Routes routes = Routes.read(sysfs);
        isOfAllTables = routes.isOfAllTables();
        Map<String, NodeUse> uses = new HashMap<>();
        for (String name : routes.ofAddresses()) {
            Set<String> ignored = spread(name, Level.ADDRESS, "an address on " + name, uses);
        }
        Set<String> below = new HashSet<>();
        for (Map.Entry<String, String> route : routes.ofDefault().entrySet()) {
            String name = route.getKey();
            below.addAll(spread(name, Level.ROUTE, route.getValue() + " on " + name, uses));
        }
        if (!below.isEmpty() && !leadsToHardware(below)) {
            String tops = String.join(", ", routes.ofDefault().keySet());
            uses.replaceAll((name, use) -> carrying(use, tops));
        }
        return uses;
    }

    /** An interface that sysfs does not show may be hardware. */
    private boolean leadsToHardware(Set<String> names) throws IOException {
        for (String name : names) {
            List<String> entries = sysfs.names(NetStack.INTERFACES + name);
            if (entries.isEmpty() || entries.contains("device")) {
                return true;
            }
        }
        return false;
    }

    /**
     * The use of an interface when the packets of the default route leave the node in a way that the kernel does not show,
     * as those of WireGuard do. They need an address, so they may leave by any interface that has one.
     */
    private static NodeUse carrying(NodeUse use, String tops) {
        return use.level() == Level.ADDRESS
                ? new NodeUse(Level.PORT, use.text() + ", and may carry the packets of the default route on " + tops)
                : use;
    }

    /** Adds a use to an interface and all interfaces below it. Returns these. */
    private Set<String> spread(String top, Level level, String text, Map<String, NodeUse> uses) throws IOException {
        Set<String> seen = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(top));
        while (!next.isEmpty()) {
            String name = next.remove();
            if (seen.add(name)) {
                String above = name.equals(top) ? "" : ", above " + name;
                uses.merge(name, new NodeUse(level, text + above), NodeUse::or);
                next.addAll(stack.below(name));
            }
        }
        return seen;
    }

    private NodeUse asPort(String bottom) throws IOException {
        NodeUse use = NodeUse.NONE;
        Set<String> seen = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(bottom));
        while (!next.isEmpty()) {
            String name = next.remove();
            if (seen.add(name)) {
                List<String> above = stack.above(name);
                next.addAll(above);
                Optional<String> master = stack.master(name);
                if (master.isPresent()) {
                    use = use.or(ofPort(name, master.orElseThrow(), name.equals(bottom) ? "" : ", above " + bottom));
                }
            }
        }
        return use;
    }

    /** The tables of proc(5) show only the main table, so the routes of a VRF may not be known. */
    private NodeUse ofPort(String port, String master, String above) throws IOException {
        OptionalInt flags =
                PciAttributes.parsed(stack.attribute(master, "flags").orElse(null));
        if (flags.isEmpty()) {
            boolean isDown = stack.attribute(master, "operstate").equals(Optional.of("down"));
            return isDown ? NodeUse.NONE : port(port, master, above);
        }
        int set = flags.getAsInt();
        if (!isOfAllTables && (set & MASTER) != 0 && (set & NOARP) != 0) {
            return new NodeUse(Level.ROUTE, port + " in the VRF " + master + ", whose routes are not known" + above);
        }
        // The interface that stands for Open vSwitch is down, and yet the switch works.
        return (set & UP) != 0 || NetStack.isOpenVswitch(master) ? port(port, master, above) : NodeUse.NONE;
    }

    private static NodeUse port(String port, String master, String above) {
        return new NodeUse(Level.PORT, port + " as a port of " + master + above);
    }
}
