package io.edgeplug.cli;

import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.cli.demo.AllocationText;
import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.PlanText;
import io.edgeplug.cli.options.ScratchDirectory;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.Pod;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.prepare.Preparer;
import io.edgeplug.node.prepare.UseNotes;
import io.edgeplug.node.supply.Candidate;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.systemd.Journal;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One full round of registering, listing, allocating and, if requested, preparing, with its own local kubelet. */
@Command(
        name = "try",
        mixinStandardHelpOptions = true,
        description = "Give a pod devices of this node, as the kubelet would. Print what its container gets, and how "
                + "the devices would be prepared. Nothing is done to them without --prepare. Needs no cluster, and "
                + "does not touch the node's own kubelet.")
final class TryCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SCRUBBED_WITHIN = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final String CONTAINER = "main";

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = "--prepare",
            description = "Also prepare the devices as their class says, for example by a reset. Needs root. A device "
                    + "that a pod of this node may hold is left alone.")
    private boolean prepare;

    @Parameters(
            paramLabel = "RESOURCE=N|DEVICE,DEVICE",
            arity = "1..*",
            description = "The number of devices of a resource, which is 1 if it is left out, or the devices, each by "
                    + ScannedNode.NAMES + ".")
    private List<String> wanted = List.of();

    @Override
    public Integer call() throws Exception {
        Limits limits = limits();
        Config config = ConfigFiles.read(node.configFile());
        Journal.toStderr(Level.WARNING);
        try (Sysroot sysroot = node.open();
                ScratchDirectory scratch = ScratchDirectory.make("edgeplug-try")) {
            if (prepare && !sysroot.isThisNode()) {
                throw new IOException(
                        "--prepare: " + node.sysroot + " is another node, whose devices cannot be prepared here");
            }
            round(sysroot, scratch.path(), config, limits);
        } catch (AdmissionException | ContainerStartException | TimeoutException e) {
            throw new IOException(e.getMessage(), e);
        }
        return ExitCode.OK;
    }

    private void round(Sysroot sysroot, Path directory, Config config, Limits limits)
            throws IOException, InterruptedException, TimeoutException, AdmissionException, ContainerStartException {
        List<DeviceClass> classes = classes(config, limits);
        Lines out = node.lines();
        ByHand byHand = new ByHand(
                sysroot.sysfs(), sysroot.kubeletDir(config.kubeletDir()).orElse(null), out);
        try (Monitor monitor = Monitor.open(sysroot.sysfs(), classes, UeventSource.silent(), Duration.ZERO);
                Supplies supplies =
                        new Supplies(sysroot.sysfs(), ContainerDirectories.below(directory), monitor, classes);
                LocalKubelet kubelet = LocalKubelet.open(directory, event -> {});
                // The daemon returns a function to its host driver afterwards.
                Preparations preparations = new Preparations(
                        sysroot.sysfs(), monitor, config.kubeletDir(), device -> objection(byHand, device));
                DevicePlugins plugins =
                        new DevicePlugins(null, directory, directory, supplies, preparations, PreparedClaims.none())) {
            refuseEmpty(limits, monitor.current());
            printLists(kubelet, limits.resources(), out);
            ScannedNode scanned = new ScannedNode(sysroot.sysfs(), Candidate.of(monitor.current(), sysroot.sysfs()));
            Pod pod = kubelet.admit(new PodSpec("try", List.of(container(limits.withIds(scanned), kubelet))));
            List<Item> devices = devicesToPrepare(monitor.current(), pod.container(CONTAINER));
            devices.forEach(device -> printPlan(sysroot, config.kubeletDir(), device, out));
            Optional<String> objection = objection(byHand, devices);
            if (prepare && objection.isEmpty()) {
                kubelet.startContainer(pod.name(), CONTAINER);
            }
            if (!devices.isEmpty()) {
                String done = objection.orElse("all of that was done");
                out.print(prepare ? done : notDone(sysroot, pod.container(CONTAINER)));
            }
            out.print("the container gets:");
            AllocationText.lines(pod.container(CONTAINER).allocation()).forEach(line -> out.print("  " + line));
            if (prepare && objection.isPresent()) {
                throw new IOException(objection.orElseThrow());
            }
            if (prepare) {
                kubelet.remove(pod.name());
                awaitScrubbed(sysroot, monitor, devices, out);
            }
        } finally {
            out.flush();
        }
    }

    /** The classes to try. They run no programs if the devices are only looked at. */
    private List<DeviceClass> classes(Config config, Limits limits) throws IOException {
        for (ResourceName resource : limits.resources()) {
            if (config.classes().stream().noneMatch(one -> one.resource().equals(resource))) {
                throw new IOException(resource + ": no class of " + node.configFile() + " has this resource");
            }
            if (config.claimed().stream().anyMatch(one -> one.resource().equals(resource))) {
                throw new IOException(resource
                        + ": its class has api = \"dra\", and only device plugins can be tried without a cluster; edgeplug dra "
                        + "device-class prints a claim and a pod that gets it, to try on the cluster");
            }
        }
        return config.classes().stream().map(DeviceClass::withoutHealthCommand).toList();
    }

    /** A kubelet would say only that it has no healthy devices. */
    private static void refuseEmpty(Limits limits, Inventory inventory) throws IOException {
        for (ResourceName resource : limits.resources()) {
            if (inventory.devices(resource).isEmpty()) {
                throw new IOException(resource + ": no device of this node matches, see edgeplug check");
            }
        }
    }

    /** Prints the lists once the kubelet has those of all resources. */
    private static void printLists(LocalKubelet kubelet, Set<ResourceName> resources, Lines out)
            throws InterruptedException, TimeoutException {
        kubelet.await(
                states -> resources.stream()
                        .allMatch(resource -> Optional.ofNullable(states.get(resource))
                                .filter(ResourceState::known)
                                .isPresent()),
                PATIENCE);
        resources.forEach(resource -> out.print(kubelet.resource(resource).text()));
    }

    private static PodSpec.Container container(Limits limits, LocalKubelet kubelet) throws IOException {
        try {
            return limits.container(CONTAINER, kubelet);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private Optional<String> objection(ByHand byHand, List<Item> devices) {
        for (Item item : devices) {
            Optional<String> one = objection(byHand, item.device());
            if (one.isPresent()) {
                return one.map(text -> item.device().id() + ": not prepared: it " + text);
            }
        }
        return Optional.empty();
    }

    /** Why a device must be left alone: preparing was not requested, or a pod of this node may hold it. */
    private Optional<String> objection(ByHand byHand, Device device) {
        return prepare ? byHand.objection(device) : Optional.of("is only tried");
    }

    /**
     * Waits until the devices are scrubbed after the pod. This process does it if it follows pods, otherwise the
     * daemon.
     */
    private static void awaitScrubbed(Sysroot sysroot, Monitor monitor, List<Item> devices, Lines out)
            throws IOException, InterruptedException {
        UseNotes used = new UseNotes(sysroot.sysfs());
        Deadline end = Deadline.in(SCRUBBED_WITHIN);
        for (Item item : devices) {
            if (item.deviceClass().filter(DeviceClass::tracksUse).isEmpty()) {
                continue;
            }
            String id = item.device().id();
            Inventory newest = monitor.current();
            while (used.find(id).isPresent() && !end.isOver()) {
                newest = monitor.inventories().awaitNewerThan(newest.generation(), LOOK);
            }
            if (used.find(id).isPresent()) {
                throw new IOException(id + ": is not scrubbed " + SCRUBBED_WITHIN.toSeconds()
                        + " s after its pod; to see why: edgeplug prepare --release " + id);
            }
            out.print("after its pod, " + id + " was scrubbed");
        }
    }

    private static List<Item> devicesToPrepare(Inventory inventory, Pod.Container container) {
        Set<String> ids = container.devices().values().stream()
                .flatMap(Set::stream)
                .map(Shares::whole)
                .collect(Collectors.toSet());
        Set<ResourceName> resources = Set.copyOf(container.devices().keySet());
        return inventory.items().stream()
                .filter(item -> ids.contains(item.device().id()))
                .filter(item -> item.resource().filter(resources::contains).isPresent())
                .filter(item -> !recipe(item).isEmpty()
                        || item.deviceClass().filter(DeviceClass::tracksUse).isPresent())
                .toList();
    }

    private static Recipe recipe(Item item) {
        return item.deviceClass().map(DeviceClass::recipe).orElse(Recipe.NONE);
    }

    private static void printPlan(Sysroot sysroot, Path kubeletDir, Item item, Lines out) {
        try (Preparer preparer = new Preparer(sysroot.sysfs(), kubeletDir, event -> {})) {
            out.print("before its container starts, " + item.device().id() + " is prepared:");
            PlanText.lines(preparer.plan(item.device(), recipe(item))).forEach(out::print);
        }
    }

    /** Why nothing was done, or how to do it. */
    private static String notDone(Sysroot sysroot, Pod.Container container) throws IOException {
        if (!sysroot.isThisNode()) {
            return "nothing was done: the devices are another node's";
        }
        String same = container.devices().entrySet().stream()
                .map(devices -> devices.getKey() + "=" + String.join(",", devices.getValue()))
                .collect(Collectors.joining(" "));
        return "nothing was done; to do it: edgeplug try --prepare " + same;
    }

    private Limits limits() {
        try {
            return Limits.parse(wanted);
        } catch (IllegalArgumentException e) {
            throw node.wrongUsage(String.valueOf(e.getMessage()));
        }
    }
}
