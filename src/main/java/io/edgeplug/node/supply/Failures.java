package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.Shares;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.system.flow.Worded;
import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.systemd.Journal;
import io.edgeplug.system.systemd.LogLimit;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was asked for pods and has failed, until the same goes well once. It counts and logs each failure. So a pod that
 * does not start leaves a trace on its node, also where its devices are in order. Thread-safe.
 */
public final class Failures {

    private static final Logger LOG = Logger.getLogger(Failures.class.getName());

    /** More cannot be looked at by a person; the oldest make room. */
    private static final int MAX_OPEN = 64;

    /** Pods that are created again and again must not fill the log. */
    private static final int MAX_LINES = 100;

    /** A container rarely has more devices. */
    private static final int MAX_NAMED = 16;

    /** The last words of a program may be long. */
    private static final int MAX_TEXT = 800;

    private final Monitor monitor;
    private final LogLimit limit = new LogLimit(MAX_LINES, Duration.ofMinutes(1));
    private final List<Failure> open = new ArrayList<>();
    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);

    /** None yet, for the devices that a monitor follows. */
    Failures(Monitor monitor) {
        this.monitor = monitor;
        for (Kind kind : Kind.values()) {
            counts.put(kind, 0L);
        }
    }

    /** What can fail. */
    public enum Kind implements Worded {
        ALLOCATE("Allocate"),
        START("start"),
        CLAIM("claim"),
        RELEASE("release"),
        SCRUB("scrub");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Whether it is about a claim, and not about devices. */
        public boolean isOfClaim() {
            return this == CLAIM || this == RELEASE;
        }
    }

    /**
     * A failure after which the same has not gone well.
     *
     * @param resource or the driver of a claim
     * @param subjects the devices, or the claim
     * @param text the pod if it is known, and the cause
     */
    public record Failure(Kind kind, String resource, Set<String> subjects, String text, Instant since) {

        /** What has failed, for a person. */
        public String what() {
            return kind.text;
        }

        private boolean isAbout(Kind of, String as) {
            return kind == of && resource.equals(as);
        }

        private Failure without(Collection<String> others) {
            Set<String> left = new LinkedHashSet<>(subjects);
            left.removeAll(others);
            return new Failure(kind, resource, left, text, since);
        }
    }

    /** Counts a failure that its caller logs, and whose device says so itself. */
    synchronized void count(Kind kind) {
        counts.merge(kind, 1L, Long::sum);
    }

    /**
     * Notes that something has failed for a container with these devices or shares, and logs it unless it has failed so
     * before.
     */
    void failed(Kind kind, ResourceName resource, Collection<String> ids, Exception cause) {
        Set<String> devices = here(resource, ids);
        // The kubelet does not say for whom an Allocate is, and who has the device is somebody else.
        List<String> pods = kind == Kind.START ? pods(devices, ids) : List.of();
        String text = (pods.isEmpty() ? "" : "for " + String.join(", ", pods) + ": ") + sentence(cause);
        if (note(kind, resource.toString(), devices, text)) {
            List<String> named = devices.stream().limit(MAX_NAMED).toList();
            Object[] fields = Stream.concat(
                            Stream.of(Journal.resource(resource)),
                            named.stream().map(Journal::device))
                    .toArray();
            String subject = devices.isEmpty() ? resource.toString() : PlainText.some(devices, MAX_NAMED);
            limit.line(subject + ": " + kind.text + " failed: " + text)
                    .ifPresent(line -> LOG.log(Level.WARNING, line, fields));
        }
    }

    /** Those that the resource has on this node. What has no device here is in the log, and cannot go well later. */
    private Set<String> here(ResourceName resource, Collection<String> ids) {
        Set<String> wanted = ids.stream().map(Shares::whole).collect(Collectors.toSet());
        return monitor.current().devices(resource).stream()
                .map(Device::id)
                .filter(wanted::contains)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whose devices these are, as far as the kubelet has noted it. */
    private List<String> pods(Set<String> devices, Collection<String> ids) {
        return devices.stream()
                .flatMap(device -> monitor.custodian().of(device).holds().entrySet().stream())
                .filter(held -> ids.contains(held.getKey()) && !held.getValue().isGrant())
                .map(held -> held.getValue().user().name())
                .distinct()
                .toList();
    }

    /**
     * Notes that something has failed for a claim, and logs it.
     *
     * @param what has failed, without the cause
     */
    public void failed(Kind kind, String driver, String claim, String what, Exception cause) {
        String text = sentence(cause);
        boolean ignored = note(kind, driver, List.of(claim), text);
        limit.line(what + ": " + text).ifPresent(LOG::warning);
    }

    /** Returns whether that is news. */
    private synchronized boolean note(Kind kind, String resource, Collection<String> subjects, String text) {
        counts.merge(kind, 1L, Long::sum);
        Optional<Failure> before = open.stream()
                .filter(one -> one.isAbout(kind, resource) && !subjects.isEmpty())
                .filter(one -> one.subjects().containsAll(subjects))
                .findFirst();
        remove(kind, resource, subjects);
        if (!subjects.isEmpty()) {
            Instant since =
                    before.map(Failure::since).orElseGet(() -> Instant.now().truncatedTo(ChronoUnit.SECONDS));
            open.add(new Failure(kind, resource, new LinkedHashSet<>(subjects), text, since));
            if (open.size() > MAX_OPEN) {
                open.removeFirst();
            }
        }
        return before.filter(one -> one.text().equals(text)).isEmpty();
    }

    /** Notes that it has gone well for a container with these devices or shares. */
    void wentWell(Kind kind, ResourceName resource, Collection<String> ids) {
        // This is asked at each Allocate, and there is hardly ever a failure.
        if (!open().isEmpty()) {
            remove(kind, resource.toString(), ids.stream().map(Shares::whole).toList());
        }
    }

    /** Notes that it has gone well for a claim. */
    public void wentWell(Kind kind, String driver, String claim) {
        remove(kind, driver, List.of(claim));
    }

    private synchronized void remove(Kind kind, String resource, Collection<String> subjects) {
        open.replaceAll(one -> one.isAbout(kind, resource) ? one.without(subjects) : one);
        open.removeIf(one -> one.subjects().isEmpty());
    }

    /** The failures that are open, the oldest first. */
    public synchronized List<Failure> open() {
        return List.copyOf(open);
    }

    public synchronized Map<Kind, Long> counts() {
        return new EnumMap<>(counts);
    }

    /** A cause is a sentence for an event of a pod, where it may end with a full stop. */
    private static String sentence(Exception cause) {
        String start = PlainText.start(String.valueOf(cause.getMessage()), MAX_TEXT);
        return start.endsWith(".") ? start.substring(0, start.length() - 1) : start;
    }
}
