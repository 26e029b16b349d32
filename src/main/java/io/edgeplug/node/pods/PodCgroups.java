package io.edgeplug.node.pods;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cgroups that a kubelet makes for its pods, all below one that it calls {@code kubepods}. That one is at the top,
 * or below others: a kubelet with {@code --cgroup-root} has it there, and so has a kubelet that is itself in a container.
 * Thread-safe.
 *
 * <p>Users and pods may make cgroups below their own. They are not looked at, so that nobody can pretend that another
 * pod still runs.
 */
public final class PodCgroups {

    /** For {@code kubelet/kubepods} in the cgroup of a container, which is {@code docker/ID}. */
    private static final int DEPTH = 4;

    /** Far more than a node has outside of its pods. */
    private static final int MAX_CGROUPS = 10_000;

    /** Whoever moves the cgroups of pods restarts the kubelet, and no pod comes and goes in this time. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    /** A kubelet makes them when it starts. */
    private static final Duration LOOK_AGAIN_FOR_FIRST = Duration.ofSeconds(1);

    private static final Integer ROOT = 0;
    private static final String SLICE = ".slice";
    private static final List<String> QUALITIES = List.of("", "besteffort", "burstable");

    private final Path hierarchy;
    private volatile Found found = new Found(List.of(), System.nanoTime() - LOOK_AGAIN.toNanos());

    /** The cgroups that are called {@code kubepods}, and when they were looked for, by {@link System#nanoTime}. */
    private record Found(List<Path> tops, long since) {

        boolean isNew() {
            Duration valid = tops.isEmpty() ? LOOK_AGAIN_FOR_FIRST : LOOK_AGAIN;
            return System.nanoTime() - since < valid.toNanos() && tops.stream().allMatch(Files::isDirectory);
        }
    }

    /**
     * The cgroups in that directory.
     *
     * @param cgroups where cgroups are mounted, usually {@code /sys/fs/cgroup}
     */
    public PodCgroups(Path cgroups) {
        // Version 1 has a hierarchy for each controller, and no such file. The kubelet needs the controller of memory.
        Path memory = cgroups.resolve("memory");
        boolean isFirstVersion = Files.isDirectory(memory) && !Files.exists(cgroups.resolve("cgroup.controllers"));
        this.hierarchy = isFirstVersion ? memory : cgroups;
    }

    /** Whether a kubelet has made its cgroup above those of all pods. */
    public boolean exist() {
        return !tops().isEmpty();
    }

    /** Whether processes of a pod may run. */
    public boolean has(String uid) {
        return !of(uid).isEmpty();
    }

    /** The names of the cgroups that the runtime has made for a pod's containers, among them its sandbox. */
    Set<String> containers(String uid) {
        Object owner = owner(hierarchy);
        return of(uid).stream()
                .flatMap(cgroup -> children(cgroup, owner, MAX_CGROUPS).stream())
                .map(PodCgroups::name)
                .collect(Collectors.toSet());
    }

    private List<Path> of(String uid) {
        return EndedPods.isName(uid)
                ? tops().stream().flatMap(top -> of(top, uid)).toList()
                : List.of();
    }

    private List<Path> tops() {
        Found last = found;
        if (!last.isNew()) {
            last = new Found(find(), System.nanoTime());
            found = last;
        }
        return last.tops();
    }

    private List<Path> find() {
        Object owner = owner(hierarchy);
        List<Path> tops = new ArrayList<>();
        List<Path> level = List.of(hierarchy);
        int seen = 0;
        for (int depth = 0; depth < DEPTH; depth++) {
            List<Path> next = new ArrayList<>();
            for (Path parent : level) {
                for (Path cgroup : children(parent, owner, MAX_CGROUPS - seen)) {
                    seen++;
                    (isTop(cgroup) ? tops : next).add(cgroup);
                }
            }
            level = next;
        }
        return List.copyOf(tops);
    }

    /** Up to that many cgroups in another one that belong to root or to that owner. */
    private static List<Path> children(Path parent, Object owner, int limit) {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(parent)) {
            for (Path file : files) {
                if (children.size() < limit && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                    Object own = owner(file);
                    if (own.equals(ROOT) || own.equals(owner)) {
                        children.add(file);
                    }
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // It has just been removed, or this user may not look.
            return children;
        }
        return children;
    }

    /** A user ID; nobody's if the directory has just been removed. */
    private static Object owner(Path directory) {
        try {
            return Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            return "";
        }
    }

    private static boolean isTop(Path cgroup) {
        String name = name(cgroup);
        return name.equals("kubepods") || name.equals("kubepods.slice") || name.endsWith("-kubepods.slice");
    }

    /**
     * Looks for the names of both of the kubelet's cgroup drivers; see pkg/kubelet/cm/cgroup_manager_linux.go. In that for
     * systemd, the names of all parents come first.
     */
    private static Stream<Path> of(Path top, String uid) {
        if (!name(top).endsWith(SLICE)) {
            return QUALITIES.stream()
                    .map(quality -> top.resolve(quality).resolve("pod" + uid))
                    .filter(Files::isDirectory);
        }
        String prefix = name(top).substring(0, name(top).length() - SLICE.length());
        String pod = "-pod" + uid.replace('-', '_') + SLICE;
        return QUALITIES.stream()
                .map(quality -> quality.isEmpty()
                        ? top.resolve(prefix + pod)
                        : top.resolve(prefix + "-" + quality + SLICE).resolve(prefix + "-" + quality + pod))
                .filter(Files::isDirectory);
    }

    private static String name(Path cgroup) {
        return String.valueOf(cgroup.getFileName());
    }
}
