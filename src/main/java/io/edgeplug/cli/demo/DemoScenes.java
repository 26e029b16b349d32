package io.edgeplug.cli.demo;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.Pod;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.inventory.Inventory;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** The scenes of {@code demo}. Each ends when the kubelet has seen it, or with a TimeoutException. */
record DemoScenes(Story story, SimulatedNode node, LocalKubelet kubelet) {

    private static final ResourceName VFS = ResourceName.parse("example.com/sriov_node0");
    private static final ResourceName GOPHERS = ResourceName.parse("example.com/gopher");
    private static final String POD = "dpdk";
    private static final String CONTAINER = "main";

    /** Ten times what an emulated processor needs. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    void scanned(Inventory inventory) {
        long functions = inventory.items().stream()
                .filter(item -> item.device() instanceof PciDevice)
                .count();
        story.line("node scanned: " + functions + " PCI functions, "
                + (inventory.items().size() - functions) + " files");
    }

    void registered(List<ResourceName> resources) throws InterruptedException, TimeoutException {
        SortedMap<ResourceName, ResourceState> states = kubelet.await(
                all -> all.keySet().containsAll(resources)
                        && all.values().stream().allMatch(state -> state.allocatable() > 0),
                PATIENCE);
        story.line("resources registered:");
        states.values()
                .forEach(state -> story.detail(state.resource() + " = " + state.allocatable() + "  " + ids(state)));
    }

    void podAllocated() throws AdmissionException {
        Pod pod =
                kubelet.admit(new PodSpec(POD, List.of(new PodSpec.Container(CONTAINER, Map.of(VFS, 1, GOPHERS, 2)))));
        story.line("pod allocated, its container gets:");
        AllocationText.lines(pod.container(CONTAINER).allocation()).forEach(story::detail);
    }

    void containerStarted() throws ContainerStartException {
        Instant asked = Instant.now();
        kubelet.startContainer(POD, CONTAINER);
        story.line("container started, once its VF was reset", asked);
        node.acts().forEach(story::detail);
    }

    void vfPlugged() throws IOException, InterruptedException, TimeoutException {
        int before = kubelet.resource(VFS).allocatable();
        Instant plugged = Instant.now();
        node.plug(DemoNode.thirdVf());
        kubelet.await(VFS, state -> state.allocatable() == before + 1, PATIENCE);
        story.line("VF plugged: the kubelet has " + VFS + " = " + (before + 1), plugged);
    }

    void deviceBrokenAndHealed() throws IOException, InterruptedException, TimeoutException {
        String id = kubelet.resource(VFS).devices().getFirst().id();
        PciAddress address = PciAddress.parse(id).orElseThrow();
        Instant broken = Instant.now();
        node.fallOff(address);
        kubelet.await(VFS, state -> isHealthy(state, id, false), PATIENCE);
        story.line("device " + id + " broken: the kubelet has it as Unhealthy", broken);
        Instant healed = Instant.now();
        node.comeBack(address);
        kubelet.await(VFS, state -> isHealthy(state, id, true), PATIENCE);
        story.line("device " + id + " healed: the kubelet has it as Healthy", healed);
    }

    void podEnded() throws IOException, InterruptedException, TimeoutException {
        String id =
                kubelet.pod(POD).orElseThrow().container(CONTAINER).devices(VFS).first();
        Instant pulled = Instant.now();
        node.pull(PciAddress.parse(id).orElseThrow());
        kubelet.await(VFS, state -> isHealthy(state, id, false), PATIENCE);
        story.line("VF " + id + " unplugged while its pod runs: the kubelet has it as Unhealthy", pulled);
        Instant ended = Instant.now();
        kubelet.delete(POD);
        kubelet.await(
                VFS,
                state ->
                        state.devices().stream().noneMatch(device -> device.id().equals(id)),
                PATIENCE);
        story.line("pod ended: nobody holds the VF any more, so it leaves the list", ended);
    }

    void kubeletRestarted() throws IOException, InterruptedException, TimeoutException {
        Map<ResourceName, List<ListedDevice>> before = devices(kubelet.resources());
        Instant restarted = Instant.now();
        kubelet.restart();
        kubelet.await(all -> devices(all).equals(before), PATIENCE);
        story.line("kubelet restarted: it has all " + before.size() + " resources again", restarted);
    }

    private static boolean isHealthy(ResourceState state, String id, boolean healthy) {
        return state.devices().stream().anyMatch(device -> device.id().equals(id) && device.healthy() == healthy);
    }

    private static String ids(ResourceState state) {
        return state.devices().stream().map(ListedDevice::id).collect(Collectors.joining(" "));
    }

    private static Map<ResourceName, List<ListedDevice>> devices(SortedMap<ResourceName, ResourceState> states) {
        return states.values().stream().collect(Collectors.toMap(ResourceState::resource, ResourceState::devices));
    }
}
