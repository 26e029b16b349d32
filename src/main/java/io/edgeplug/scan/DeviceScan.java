package io.edgeplug.scan;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PathGroup;
import io.edgeplug.device.PathGroup.Member;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.Destination;
import io.edgeplug.linux.FileKind;
import io.edgeplug.linux.PathGlob;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.TooManyFilesException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes devices of the node's present state.
 *
 * <p>The unit is the scan of one function. The scan of a node does the same for all functions, so a uevent and a
 * restart lead to the same result. A function that disappears while it is read is absent. A function that cannot be
 * read is unhealthy and says why.
 *
 * <p>An object is for one look at the node: it reads data that all functions share only once. One thread at a time uses
 * it.
 */
public final class DeviceScan {

    /**
     * The kernel has no more (MAX_NUMNODES in include/linux/numa.h). A larger number in a tree of files would only cost
     * time.
     */
    private static final int MAX_NUMA_NODES = 1024;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

    private final Sysfs sysfs;
    private final NodeWide node;

    /** A scan of that node, which reads data that all functions share at most once. */
    public DeviceScan(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.node = new NodeWide(sysfs);
    }

    /**
     * The addresses of all PCI functions, in order.
     *
     * @throws IOException if the node has PCI and the list cannot be read
     */
    public List<PciAddress> functions() throws IOException {
        return sysfs.names(PciAttributes.FUNCTIONS).stream()
                .flatMap(name -> PciAddress.parse(name).stream())
                .sorted()
                .toList();
    }

    /** The devices at that address: none if there is no function, several if it has FPGA regions or sub-functions. */
    public List<PciDevice> function(PciAddress address) {
        FunctionScan scan = scan(address);
        return scan.answering(scan.devices(List.of()));
    }

    /** Whether there is a function at that address. Nothing of it is read. */
    public static boolean isThere(Sysfs sysfs, PciAddress address) {
        try {
            return sysfs.exists(PciAttributes.FUNCTIONS + "/" + address);
        } catch (IOException e) {
            return true;
        }
    }

    /** The scan of the function at that address, for callers that go step by step. */
    public FunctionScan scan(PciAddress address) {
        return new FunctionScan(node, address);
    }

    /**
     * The devices that are neither PCI functions nor files: RDMA in software, and FPGAs of systems on chip.
     *
     * @throws IOException if the kernel does not list them
     */
    public List<Device> withoutFunction() throws IOException {
        List<Device> devices = new ArrayList<>(node.rdma().withoutFunction());
        devices.addAll(new FpgaScan(sysfs).withoutFunction());
        return devices;
    }

    /**
     * The files that these patterns and groups name, each once, in order. A directory that cannot be listed is a
     * problem in the result. A file that is the first of a group is no device by itself.
     */
    public PathScan paths(Collection<PathGlob> patterns, Collection<PathGroup> groups) {
        Map<String, PathDevice> found = new TreeMap<>();
        List<String> problems = new ArrayList<>();
        List<String> excess = new ArrayList<>();
        int left = PathScan.MAX_FILES;
        for (PathGroup group : groups) {
            List<String> named = glob(group.first(), left / group.paths().size(), problems, excess);
            left -= named.size() * group.paths().size();
            for (String path : named) {
                add(found, group.members(path), Optional.of(group));
            }
        }
        Set<String> directories = new HashSet<>();
        Set<String> alone = new LinkedHashSet<>();
        for (PathGlob pattern : new LinkedHashSet<>(patterns)) {
            List<String> named = glob(pattern, left, problems, excess);
            left -= named.size();
            alone.addAll(named);
            if (pattern.namesDirectories()) {
                directories.addAll(named);
            }
        }
        alone.forEach(path -> add(found, List.of(new Member(path, directories.contains(path))), Optional.empty()));
        return new PathScan(List.copyOf(found.values()), problems, excess);
    }

    /**
     * The device that a scan of all paths would make of the file at that path. Empty if there is no such file, or if no
     * pattern or group names it.
     */
    public Optional<PathDevice> path(String path, Collection<PathGlob> patterns, Collection<PathGroup> groups) {
        Map<String, PathDevice> found = new TreeMap<>();
        Optional<PathGroup> group =
                groups.stream().filter(one -> one.first().matches(path)).findFirst();
        if (group.isPresent()) {
            add(found, group.orElseThrow().members(path), group);
            return Optional.ofNullable(found.get(path));
        }
        List<PathGlob> naming =
                patterns.stream().filter(pattern -> pattern.matches(path)).toList();
        if (!naming.isEmpty()) {
            boolean isDirectory = naming.stream().anyMatch(PathGlob::namesDirectories);
            add(found, List.of(new Member(path, isDirectory)), Optional.empty());
        }
        return Optional.ofNullable(found.get(path));
    }

    private List<String> glob(PathGlob pattern, int most, List<String> problems, List<String> excess) {
        try {
            return pattern.files(sysfs, most);
        } catch (TooManyFilesException e) {
            String tooMany = pattern + ": with the files that it names, there are more than the " + PathScan.MAX_FILES
                    + " that all classes of a node may have; none of its files is listed";
            problems.add(tooMany);
            excess.add(tooMany);
        } catch (IOException e) {
            problems.add(pattern + ": " + e.getMessage());
        }
        return List.of();
    }

    /**
     * The files that were found.
     *
     * @param problems a line for each pattern that could not be followed
     * @param excess the problems of patterns that name too many files for any node, which are mistakes in the
     *     configuration
     */
    public record PathScan(List<PathDevice> devices, List<String> problems, List<String> excess) {

        /** The daemon's heap has room for this many devices. */
        public static final int MAX_FILES = 4096;

        public PathScan {
            devices = List.copyOf(devices);
            problems = List.copyOf(problems);
            excess = List.copyOf(excess);
        }
    }

    /**
     * Adds a file with the other files of its group, without which it is useless. A file that has just gone is absent.
     */
    private void add(Map<String, PathDevice> found, List<Member> members, Optional<PathGroup> group) {
        String path = members.getFirst().path();
        if (found.containsKey(path)) {
            return;
        }
        List<PathDevice.File> files = new ArrayList<>();
        Optional<String> problem = Optional.empty();
        for (Member member : members) {
            Optional<Destination> where = Optional.empty();
            Optional<String> own;
            try {
                where = sysfs.follow(member.path().substring(1));
                own = problem(member, where.map(Destination::kind));
            } catch (IOException e) {
                own = Optional.of(String.valueOf(e.getMessage()));
            }
            if (files.isEmpty() && where.isEmpty() && !isThere(path)) {
                return;
            }
            files.add(new PathDevice.File(member.path(), where));
            problem = problem.isPresent() ? problem : own;
        }
        Health health = problem.map(Health::unhealthy).orElse(Health.HEALTHY);
        found.put(path, new PathDevice(PathDevice.id(path), files, group, health));
    }

    /** A path that cannot be looked at counts as existing, and is unhealthy. */
    private boolean isThere(String path) {
        try {
            return sysfs.exists(path.substring(1));
        } catch (IOException e) {
            return true;
        }
    }

    /** A directory is rarely meant: container runtimes make one in place of a missing file. */
    private Optional<String> problem(Member member, Optional<FileKind> found) throws IOException {
        String path = member.path();
        if (found.isEmpty()) {
            return Optional.of(
                    sysfs.exists(path.substring(1))
                            ? path + " is a link that leads nowhere"
                            : "lacks " + path + " of its group");
        }
        FileKind kind = found.orElseThrow();
        if (member.isDirectory()) {
            return kind == FileKind.DIRECTORY
                    ? Optional.empty()
                    : Optional.of(path + " is " + kind + ", and a path that ends with / names directories");
        }
        if (kind == FileKind.DIRECTORY) {
            return Optional.of(path + " is a directory, and only a path that ends with / names directories");
        }
        return kind == FileKind.FILE || kind.isNode()
                ? Optional.empty()
                : Optional.of(path + " is " + kind + ", and not a regular file or a device node");
    }

    /**
     * The NUMA nodes of the node, in order; none if the kernel has no NUMA.
     *
     * @throws IOException if the kernel does not list them
     */
    public List<Integer> numaNodes() throws IOException {
        Matcher ranges =
                RANGE.matcher(sysfs.read("sys/devices/system/node/online").orElse(""));
        BitSet nodes = new BitSet();
        while (ranges.find()) {
            int from = Math.min(Integer.parseInt(ranges.group(1)), MAX_NUMA_NODES);
            long last = ranges.group(2) == null ? from : Integer.parseInt(ranges.group(2));
            nodes.set(from, Math.clamp(last + 1, from, MAX_NUMA_NODES));
        }
        return nodes.stream().boxed().toList();
    }
}
