package io.edgeplug.node.scan;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the network interfaces of a node are stacked, by the links {@code lower_*}, {@code upper_*} and {@code master}.
 * There are no links between the ports of Open vSwitch and the interfaces that it makes, between the two ends of a veth
 * pair, nor from a tunnel or a PPPoE session to the interface below it.
 */
final class NetStack {

    static final String INTERFACES = "sys/class/net/";

    private static final String LOWER = "lower_";
    private static final String UPPER = "upper_";

    /** The types of interfaces; see {@code if_arp.h} of the kernel. Both ends of a veth pair are Ethernet. */
    private static final String ETHERNET = "1";

    private static final String PPP = "512";

    /** Interfaces with one of these are not made by Open vSwitch: hardware, a bridge, a bond, and a tap device. */
    private static final Set<String> OTHERS = Set.of("device", "bridge", "bonding", "tun_flags");

    private final Sysfs sysfs;
    private @Nullable Map<String, String> byIndex;

    NetStack(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /** The kernel's part of Open vSwitch is {@code ovs-system}. */
    static boolean isOpenVswitch(String name) {
        return name.startsWith("ovs-");
    }

    /** The interfaces through which packets of this one leave the node. */
    List<String> below(String name) throws IOException {
        List<String> names = sysfs.names(INTERFACES + name);
        List<String> lower = named(names, LOWER).toList();
        if (!lower.isEmpty() || names.stream().anyMatch(OTHERS::contains) || names.isEmpty()) {
            return lower;
        }
        Optional<String> index = attribute(name, "ifindex");
        Optional<String> other = attribute(name, "iflink").filter(link -> !link.equals("0"));
        String type = attribute(name, "type").orElse(ETHERNET);
        if (other.isEmpty() || other.equals(index)) {
            return type.equals(PPP) ? belowPpp() : portsOfOpenVswitch();
        }
        return type.equals(ETHERNET)
                ? behindPeer(other.orElseThrow(), index.orElse(""))
                : Stream.ofNullable(byIndex().get(other.orElseThrow())).toList();
    }

    /** It is not known which of the sessions of PPPoE an interface belongs to. Programs may have sessions of their own. */
    private List<String> belowPpp() throws IOException {
        List<String> interfaces = Routes.lines(sysfs, "pppoe")
                .skip(1)
                .filter(session -> session.length > 2)
                .map(session -> session[2])
                .toList();
        return interfaces.isEmpty() ? portsOfOpenVswitch() : interfaces;
    }

    /** It is not known which of its ports an interface of Open vSwitch uses. */
    private List<String> portsOfOpenVswitch() throws IOException {
        List<String> ports = new ArrayList<>();
        for (String name : sysfs.names(INTERFACES)) {
            if (isOpenVswitch(name)) {
                named(sysfs.names(INTERFACES + name), LOWER).forEach(ports::add);
            }
        }
        return ports;
    }

    /** The peer of a veth in another network namespace may have the index of an interface here, which has another link. */
    private List<String> behindPeer(String peer, String own) throws IOException {
        Optional<String> name = Optional.ofNullable(byIndex().get(peer));
        if (name.isEmpty() || !attribute(name.orElseThrow(), "iflink").equals(Optional.of(own))) {
            return List.of();
        }
        return Stream.concat(name.stream(), master(name.orElseThrow()).stream()).toList();
    }

    /** What the kernel says of any interface of the node; absent of one that is just being removed. */
    Optional<String> attribute(String name, String attribute) throws IOException {
        return sysfs.read(INTERFACES + name + "/" + attribute);
    }

    private Map<String, String> byIndex() throws IOException {
        if (byIndex == null) {
            Map<String, String> names = new HashMap<>();
            for (String name : sysfs.names(INTERFACES)) {
                attribute(name, "ifindex").ifPresent(index -> names.put(index, name));
            }
            byIndex = names;
        }
        return byIndex;
    }

    /** The interfaces that use this one. */
    List<String> above(String name) throws IOException {
        return Stream.concat(named(sysfs.names(INTERFACES + name), UPPER), master(name).stream())
                .distinct()
                .toList();
    }

    /** The bond, bridge or switch that this one is a port of. */
    Optional<String> master(String name) throws IOException {
        return sysfs.linkName(INTERFACES + name + "/master");
    }

    private static Stream<String> named(List<String> names, String prefix) {
        return names.stream().filter(name -> name.startsWith(prefix)).map(name -> name.substring(prefix.length()));
    }
}
