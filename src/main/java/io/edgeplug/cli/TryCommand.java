package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Recipe;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.kubelet.Preparations;
import io.edgeplug.kubelet.Supplies;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.UeventSource;
import io.edgeplug.localkubelet.AdmissionException;
import io.edgeplug.localkubelet.ContainerStartException;
import io.edgeplug.localkubelet.KubeletEvent;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.localkubelet.Pod;
import io.edgeplug.localkubelet.PodSpec;
import io.edgeplug.prepare.Preparer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** One full round of registering, listing, allocating and starting, with a kubelet's side of its own. */
@Command(
        name = "try",
        mixinStandardHelpOptions = true,
        description = "Give a pod devices of this node, as the kubelet would, and print what its container gets. "
                + "Needs no cluster; the node's own kubelet is not touched.")
final class TryCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String CONTAINER = "main";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Parameters(paramLabel = "RESOURCE=N", arity = "1..*", description = "How many devices of which resource.")
    private List<String> wanted = List.of();

    @Override
    public Integer call() throws Exception {
        Map<ResourceName, Integer> limits = limits();
        Config config = ConfigFiles.read(node.configFile());
        List<DeviceClass> classes = config.classes().stream()
                .filter(one -> limits.containsKey(one.resource()))
                .toList();
        for (ResourceName resource : limits.keySet()) {
            if (classes.stream().noneMatch(one -> one.resource().equals(resource))) {
                throw new IOException(resource + ": no class of " + node.configFile() + " has this resource");
            }
        }
        Journal.toStderr(Level.WARNING);
        try (ScratchDirectory scratch = ScratchDirectory.make("edgeplug-try")) {
            // what is done to a device is for this node's devices, not for files that show another's
            boolean isHere = node.sysroot.equals(Path.of(RunOptions.DEFAULT_SYSROOT));
            round(scratch.path(), config, isHere, limits);
        }
        return ExitCode.OK;
    }

    private void round(Path directory, Config config, boolean isHere, Map<ResourceName, Integer> limits)
            throws Exception {
        List<DeviceClass> classes = config.classes();
        Listed listed = new Listed();
        Lines out = new Lines(spec.commandLine().getOut());
        try (Sysroot sysroot = node.open();
                Monitor monitor = Monitor.open(sysroot.sysfs(), classes, UeventSource.silent(), Duration.ZERO);
                Supplies supplies =
                        Supplies.open(sysroot.sysfs(), ContainerDirectories.below(directory), monitor, classes);
                LocalKubelet kubelet = LocalKubelet.open(directory, listed::accept);
                // whose driver is changed here, the daemon gives back
                Preparations preparations = new Preparations(
                        sysroot.sysfs(), monitor, config.kubeletDir(), byHand(sysroot, config)::objection);
                DevicePlugins plugins = DevicePlugins.open(directory, supplies, preparations)) {
            listed.await(limits.keySet());
            limits.keySet()
                    .forEach(resource -> out.print(kubelet.resource(resource).text()));
            Pod pod = kubelet.admit(new PodSpec("try", List.of(new PodSpec.Container(CONTAINER, limits))));
            List<Item> devices = devices(monitor.current(), pod.container(CONTAINER));
            Optional<String> objection = isHere
                    ? objection(byHand(sysroot, config), devices)
                    : Optional.of("these are the files of another node");
            printPreparation(sysroot.sysfs(), config.kubeletDir(), devices, objection);
            if (objection.isEmpty()) {
                kubelet.startContainer(pod.name(), CONTAINER);
            }
            out.print("the container gets:");
            AllocationText.lines(pod.container(CONTAINER).allocation()).forEach(line -> out.print("  " + line));
        } catch (AdmissionException | ContainerStartException | TimeoutException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            out.flush();
        }
    }

    /** Knows which devices pods of this node's own kubelet may hold. */
    private ByHand byHand(Sysroot sysroot, Config config) {
        return new ByHand(
                sysroot.sysfs(),
                config.kubeletDir(),
                new Lines(spec.commandLine().getOut()));
    }

    /** The devices of a container that are to be prepared. */
    private static List<Item> devices(Inventory inventory, Pod.Container container) {
        Set<String> ids = container.devices().values().stream()
                .flatMap(Set::stream)
                // without the number of a share
                .map(id -> id.split("::", 2)[0])
                .collect(Collectors.toSet());
        return inventory.items().stream()
                .filter(item -> ids.contains(item.device().id()))
                .filter(item -> !recipe(item).isEmpty())
                .toList();
    }

    private static Recipe recipe(Item item) {
        return item.deviceClass().map(DeviceClass::recipe).orElse(Recipe.NONE);
    }

    /** Why nothing is done to the devices now: the kubelet of this node may have given one of them to a pod. */
    private static Optional<String> objection(ByHand byHand, List<Item> devices) {
        return devices.stream()
                .map(Item::device)
                .flatMap(device -> byHand.objection(device).map(text -> device.id() + " " + text).stream())
                .findFirst();
    }

    private void printPreparation(Sysfs sysfs, Path kubeletDir, List<Item> devices, Optional<String> objection) {
        Lines out = new Lines(spec.commandLine().getOut());
        try (Preparer preparer = new Preparer(sysfs, kubeletDir, event -> {})) {
            for (Item item : devices) {
                out.print("before its container starts, " + item.device().id() + " is prepared:");
                PlanText.lines(preparer.plan(item.device(), recipe(item))).forEach(out::print);
            }
        }
        if (!devices.isEmpty()) {
            out.print(objection.map(text -> "which is not done now: " + text).orElse("which is done now"));
        }
    }

    /** Which resources the kubelet has been sent a list of, which may be empty. */
    private static final class Listed {

        private final Set<ResourceName> resources = new HashSet<>();

        synchronized void accept(KubeletEvent event) {
            if (event instanceof KubeletEvent.DeviceList list && resources.add(list.resource())) {
                notifyAll();
            }
        }

        synchronized void await(Set<ResourceName> wanted) throws InterruptedException, TimeoutException {
            Instant end = Instant.now().plus(PATIENCE);
            while (!resources.containsAll(wanted)) {
                long left = Duration.between(Instant.now(), end).toMillis();
                if (left <= 0) {
                    throw new TimeoutException(
                            "not all of " + wanted + " registered in " + PATIENCE.toSeconds() + " s");
                }
                wait(left);
            }
        }
    }

    private Map<ResourceName, Integer> limits() {
        try {
            return Limits.parse(wanted);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
