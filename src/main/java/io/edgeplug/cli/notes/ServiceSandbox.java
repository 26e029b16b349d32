package io.edgeplug.cli.notes;

import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.systemd.UnitSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the installed service may reach: servers over IP, and directories to write in. Its unit and the drop-ins say so. */
final class ServiceSandbox {

    private static final String UNIT = "edgeplug.service";
    private static final String FAMILIES = "RestrictAddressFamilies";
    private static final List<String> INET = List.of("AF_INET", "AF_INET6");
    private static final String NUMBERS = "[0-9.]+|\\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.]*]?";

    private ServiceSandbox() {}

    /** Why the service of a node cannot reach a server, or any if it is null; empty if edgeplug is no service there. */
    static Optional<String> obstacle(Sysfs node, @Nullable URI server) throws IOException {
        Optional<UnitSettings> unit = UnitSettings.read(node, UNIT, "Service");
        if (unit.isEmpty()) {
            return Optional.empty();
        }
        if (!mayUseInet(unit.orElseThrow())) {
            return Optional.of(FAMILIES + " has neither AF_INET nor AF_INET6");
        }
        List<String> denied = unit.orElseThrow().words("IPAddressDeny");
        List<String> allowed = unit.orElseThrow().words("IPAddressAllow");
        if (!denied.contains("any")) {
            return Optional.empty();
        }
        if (allowed.isEmpty()) {
            return Optional.of("there is no IPAddressAllow");
        }
        String address = server == null ? "" : String.valueOf(server.getHost());
        if (address.matches(NUMBERS) && !covers(allowed, address)) {
            return Optional.of("IPAddressAllow does not have its address " + address);
        }
        return Optional.empty();
    }

    /**
     * Where a directory really is, if the service of a node can write nothing there. Links lead out of the directories that
     * the unit names, and mounts do not.
     */
    static Optional<Path> outside(Sysfs node, Path directory) throws IOException {
        Optional<UnitSettings> unit = UnitSettings.read(node, UNIT, "Service");
        List<String> protection = unit.map(one -> one.of("ProtectSystem")).orElse(List.of());
        if (protection.isEmpty() || !protection.getLast().equals("strict")) {
            return Optional.empty();
        }
        try {
            Path real = destination(node, directory);
            for (String word : unit.orElseThrow().words("ReadWritePaths")) {
                String writable = word.replaceFirst("^[-+]+", "");
                if (writable.startsWith("/") && real.startsWith(destination(node, Path.of(writable)))) {
                    return Optional.empty();
                }
            }
            return Optional.of(real);
        } catch (IOException e) {
            if (KernelReason.of(e) == KernelReason.DENIED) {
                // Only root can see where it is.
                return Optional.empty();
            }
            throw e;
        }
    }

    /** The same path without links. What is missing is made where the rest leads. */
    private static Path destination(Sysfs node, Path path) throws IOException {
        Optional<Destination> there = node.follow(path.toString().substring(1));
        Path parent = path.getParent();
        if (there.isPresent() || parent == null) {
            return there.map(one -> Path.of(one.path())).orElse(path);
        }
        return destination(node, parent).resolve(path.getFileName());
    }

    /**
     * A first value with {@code ~} begins a list of forbidden families. A later value of the other sort removes from
     * the list.
     */
    private static boolean mayUseInet(UnitSettings unit) {
        TreeSet<String> listed = new TreeSet<>();
        Optional<Boolean> forbids = Optional.empty();
        for (String value : unit.of(FAMILIES)) {
            boolean isInverted = value.startsWith("~");
            if (value.isEmpty()) {
                forbids = Optional.empty();
                listed.clear();
                continue;
            }
            forbids = forbids.isPresent() ? forbids : Optional.of(isInverted);
            List<String> words =
                    List.of((isInverted ? value.substring(1) : value).strip().split("\\s+"));
            if (forbids.orElseThrow() == isInverted) {
                listed.addAll(words);
            } else {
                words.forEach(listed::remove);
            }
        }
        return forbids.isEmpty()
                || (forbids.orElseThrow()
                        ? !listed.containsAll(INET)
                        : INET.stream().anyMatch(listed::contains));
    }

    private static boolean covers(List<String> allowed, String address) throws IOException {
        // The address is in digits, so no name server is asked.
        InetAddress wanted = InetAddress.getByName(address);
        for (String one : allowed) {
            if (one.equals("any")
                    || (one.equals("localhost") && wanted.isLoopbackAddress())
                    || (one.equals("link-local") && wanted.isLinkLocalAddress())
                    || (one.matches("(" + NUMBERS + ")(/\\d{1,3})?") && isIn(wanted, one))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isIn(InetAddress address, String network) throws IOException {
        String[] parts = network.split("/", 2);
        byte[] first = InetAddress.getByName(parts[0]).getAddress();
        byte[] bytes = address.getAddress();
        int bits = parts.length < 2 ? Byte.SIZE * first.length : Integer.parseInt(parts[1]);
        if (bytes.length != first.length || bits > Byte.SIZE * first.length) {
            return false;
        }
        for (int i = 0; i < bits; i++) {
            int mask = 0x80 >> i % Byte.SIZE;
            if ((bytes[i / Byte.SIZE] & mask) != (first[i / Byte.SIZE] & mask)) {
                return false;
            }
        }
        return true;
    }
}
