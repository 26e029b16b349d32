package io.edgeplug.status;

import io.edgeplug.linux.PlainText;
import io.edgeplug.linux.RecentLog;
import io.edgeplug.proto.status.Event;
import io.edgeplug.proto.status.HeldDevice;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Problem;
import io.edgeplug.proto.status.Resource;
import io.edgeplug.proto.status.Slices;
import java.time.Instant;
import java.util.List;

/**
 * Makes a message of a status for people. It has each resource, but only as many devices as a person can look at. So it
 * has some 40 KiB at most, however many devices there are.
 */
final class StatusMessage {

    private static final int MAX_HELD = 200;
    private static final int MAX_PROBLEMS = 100;

    private final String version;
    private final Instant started;

    StatusMessage(String version, Instant started) {
        this.version = version;
        this.started = started;
    }

    Node of(NodeStatus status, ProblemTimes times, List<RecentLog.Line> log) {
        Node.Builder node = Node.newBuilder()
                .setVersion(version)
                .setStarted(started.getEpochSecond())
                .setHasKubelet(status.kubelet().isThere());
        for (ResourceStatus resource : status.resources()) {
            node.addResources(resource(resource));
            resource.devices().forEach(device -> addDevice(node, resource.name().toString(), device, times));
        }
        status.claiming().ifPresent(claiming -> node.setSlices(slices(claiming)));
        log.forEach(line -> node.addEvents(Event.newBuilder()
                .setTime(line.time().getEpochSecond())
                .setWarning(line.isWarning())
                .setText(line.text())));
        return node.build();
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
                .build();
    }

    private static Resource resource(ResourceStatus resource) {
        return Resource.newBuilder()
                .setName(resource.name().toString())
                .setRegistered(resource.isRegistered())
                .setTotal(resource.devices().size())
                .setFree(resource.count(DeviceState.FREE))
                .setHeld(resource.count(DeviceState.HELD))
                .setPreparing(resource.count(DeviceState.PREPARING))
                .setUnhealthy(resource.count(DeviceState.UNHEALTHY))
                .setWithheld(resource.count(DeviceState.WITHHELD))
                .setShares(resource.shares())
                .build();
    }

    private static void addDevice(Node.Builder node, String resource, DeviceStatus device, ProblemTimes times) {
        String id = device.device().id();
        for (Holder holder : device.holders()) {
            if (node.getHeldCount() < MAX_HELD) {
                node.addHeld(HeldDevice.newBuilder()
                        .setResource(resource)
                        .setDevice(id)
                        .setPodUid(PlainText.of(holder.podUid()))
                        .setNamespace(PlainText.of(holder.namespace().orElse("")))
                        .setPod(PlainText.of(holder.pod().orElse("")))
                        .setContainer(PlainText.of(holder.container())));
            } else {
                node.setHeldMore(node.getHeldMore() + 1);
            }
        }
        device.device().health().problem().ifPresent(problem -> {
            if (node.getProblemsCount() < MAX_PROBLEMS) {
                node.addProblems(Problem.newBuilder()
                        .setResource(resource)
                        .setDevice(id)
                        .setText(problem)
                        .setWithheld(device.device().health().isWithheld())
                        .setSince(times.since(resource, id)
                                .map(Instant::getEpochSecond)
                                .orElse(0L)));
            } else {
                node.setProblemsMore(node.getProblemsMore() + 1);
            }
        });
    }
}
