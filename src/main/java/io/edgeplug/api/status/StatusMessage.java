package io.edgeplug.api.status;

import com.google.protobuf.MessageLite;
import io.edgeplug.api.status.NodeStatus.ClaimingStatus;
import io.edgeplug.api.status.NodeStatus.DeviceState;
import io.edgeplug.api.status.NodeStatus.DeviceStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.node.supply.HolderNotes;
import io.edgeplug.proto.status.Configuration;
import io.edgeplug.proto.status.Event;
import io.edgeplug.proto.status.Failure;
import io.edgeplug.proto.status.HeldDevice;
import io.edgeplug.proto.status.KubeletAbsence;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Problem;
import io.edgeplug.proto.status.Resource;
import io.edgeplug.proto.status.Slices;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.kernel.PlainText;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Makes a message of a status for people. It has each resource, but only as many devices as a person can look at. So
 * these have 64 KiB at most, however many there are, and however long the names of their pods.
 */
final class StatusMessage {

    private static final int MAX_HELD = 200;
    private static final int MAX_PROBLEMS = 100;
    private static final int MAX_BYTES = 64 << 10;
    private static final int MAX_MISTAKES = 10;
    private static final int MAX_SUBJECTS = 2;

    private StatusMessage() {}

    static Node of(NodeStatus status, ProblemTimes times, DaemonHistory history) {
        Node.Builder node = Node.newBuilder()
                .setVersion(history.version())
                .setStarted(history.started().getEpochSecond())
                .setHasKubelet(status.kubelet().isThere())
                .setConfiguration(configuration(history));
        status.kubelet()
                .absence()
                .ifPresent(reason -> node.setKubeletAbsence(KubeletAbsence.newBuilder()
                        .setReason(PlainText.of(reason))
                        .setSince(times.withoutKubelet()
                                .map(Instant::getEpochSecond)
                                .orElse(0L))));
        status.bugs().forEach(bugs -> node.addProblems(problem(bugs)));
        HolderNotes.State notes = status.notes();
        notes.problems().forEach(text -> node.addProblems(problem("holders", text, notes.since())));
        Devices devices = new Devices(node, times);
        for (ResourceStatus resource : status.resources()) {
            node.addResources(resource(resource));
            resource.devices().forEach(device -> devices.add(resource.name().toString(), device));
        }
        status.failures().stream().map(StatusMessage::failure).forEach(node::addFailures);
        status.claiming().ifPresent(claiming -> node.setSlices(slices(claiming)));
        history.log()
                .lines()
                .forEach(line -> node.addEvents(Event.newBuilder()
                        .setTime(line.time().getEpochSecond())
                        .setWarning(line.isWarning())
                        .setText(line.text())));
        return node.build();
    }

    private static Failure failure(Failures.Failure failure) {
        return Failure.newBuilder()
                .setWhat(failure.what())
                .setSubject(PlainText.of(PlainText.some(failure.subjects(), MAX_SUBJECTS)))
                .setResource(failure.resource())
                .setSince(failure.since().getEpochSecond())
                .setText(PlainText.of(failure.text()))
                .build();
    }

    private static Problem problem(Front.Bugs bugs) {
        return problem(
                bugs.front().word(),
                "bugs that ended its work: " + bugs.count() + ", please report them; the last: " + bugs.last(),
                bugs.first());
    }

    /** A problem of edgeplug itself. No device has a name in parentheses. */
    private static Problem problem(String part, String text, Instant since) {
        return Problem.newBuilder()
                .setResource("edgeplug")
                .setDevice("(" + part + ")")
                .setText(PlainText.of(text))
                .setSince(since.getEpochSecond())
                .build();
    }

    private static Configuration configuration(DaemonHistory history) {
        ConfigurationStatus status = history.configuration();
        Configuration.Builder configuration =
                Configuration.newBuilder().setRead(status.read().getEpochSecond());
        Optional<Path> changed = history.change();
        if (changed.isPresent()) {
            return configuration
                    .setProblem(PlainText.of(status.changed(changed.orElseThrow())))
                    .build();
        }
        configuration.setProblem(PlainText.of(status.problem().orElse("")));
        status.refusal().ifPresent(refused -> {
            refused.mistakes().stream().limit(MAX_MISTAKES).map(PlainText::of).forEach(configuration::addMistakes);
            configuration.setMistakesMore(Math.max(0, refused.mistakes().size() - MAX_MISTAKES));
        });
        return configuration.build();
    }

    private static Slices slices(ClaimingStatus claiming) {
        return Slices.newBuilder()
                .setDriver(claiming.driver())
                .setPool(claiming.pool())
                .setGeneration(claiming.generation())
                .setSlices(claiming.slices())
                .setDevices(claiming.devices())
                .setProblem(PlainText.of(claiming.problem().orElse("")))
                .setClaims(claiming.claims())
                .setFallback(PlainText.of(claiming.fallback().orElse("")))
                .build();
    }

    private static Resource resource(ResourceStatus resource) {
        return Resource.newBuilder()
                .setName(resource.name().toString())
                .setRegistered(resource.isRegistered())
                .setTotal(resource.devices().size())
                .setFree(resource.count(DeviceState.FREE))
                .setUnknown(resource.count(DeviceState.UNKNOWN))
                .setHeld(resource.count(DeviceState.HELD))
                .setHeldShares(resource.devices().stream()
                        .mapToInt(DeviceStatus::heldShares)
                        .sum())
                .setPreparing(resource.count(DeviceState.PREPARING))
                .setUnhealthy(resource.count(DeviceState.UNHEALTHY))
                .setHeldUnhealthy(Math.toIntExact(resource.devices().stream()
                        .filter(device ->
                                isUnhealthy(device) && !device.holders().isEmpty())
                        .count()))
                .setWithheld(resource.count(DeviceState.WITHHELD))
                .setShares(resource.shares())
                .build();
    }

    private static boolean isUnhealthy(DeviceStatus device) {
        return device.state() == DeviceState.UNHEALTHY;
    }

    /** The devices in a message that are held or have problems. */
    private static final class Devices {

        private final Node.Builder node;
        private final ProblemTimes times;
        private int bytes;

        Devices(Node.Builder node, ProblemTimes times) {
            this.node = node;
            this.times = times;
        }

        void add(String resource, DeviceStatus device) {
            device.holders().forEach(holder -> addHolder(resource, device, holder));
            device.device().health().problem().ifPresent(problem -> addProblem(resource, device, problem));
        }

        private void addHolder(String resource, DeviceStatus device, User.Pod holder) {
            if (node.getHeldCount() == MAX_HELD) {
                node.setHeldMore(node.getHeldMore() + 1);
                return;
            }
            HeldDevice held = HeldDevice.newBuilder()
                    .setResource(resource)
                    .setDevice(device.device().id())
                    .setPodUid(PlainText.of(holder.uid()))
                    .setNamespace(PlainText.of(holder.namespace().orElse("")))
                    .setPod(PlainText.of(holder.pod().orElse("")))
                    .setContainer(PlainText.of(holder.container()))
                    .setUnhealthy(isUnhealthy(device))
                    .build();
            if (hasRoom(held)) {
                node.addHeld(held);
            } else {
                node.setHeldMore(node.getHeldMore() + 1);
            }
        }

        private void addProblem(String resource, DeviceStatus device, String text) {
            String id = device.device().id();
            Problem problem = Problem.newBuilder()
                    .setResource(resource)
                    .setDevice(id)
                    .setText(text + remedy(device.device()))
                    .setWithheld(device.device().health().isWithheld())
                    .setStuck(device.isStuck())
                    .setSince(times.since(resource, id)
                            .map(Instant::getEpochSecond)
                            .orElse(0L))
                    .build();
            if (node.getProblemsCount() < MAX_PROBLEMS && hasRoom(problem)) {
                node.addProblems(problem);
            } else {
                node.setProblemsMore(node.getProblemsMore() + 1);
            }
        }

        /** Takes the room if it is there. */
        private boolean hasRoom(MessageLite one) {
            int size = one.getSerializedSize();
            if (bytes + size > MAX_BYTES) {
                return false;
            }
            bytes += size;
            return true;
        }
    }

    /** What a person can do about a device that is gone, which nothing else brings back. */
    private static String remedy(Device device) {
        if (!device.health().isGone()) {
            return "";
        }
        String path = device instanceof PathDevice files ? " at " + files.path() : "";
        return ": put it back" + path + ", or delete the pod";
    }
}
