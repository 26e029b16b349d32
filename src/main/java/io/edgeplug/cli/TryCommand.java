package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.kubelet.Preparations;
import io.edgeplug.kubelet.Supplies;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.UeventSource;
import io.edgeplug.localkubelet.AdmissionException;
import io.edgeplug.localkubelet.ContainerStartException;
import io.edgeplug.localkubelet.KubeletEvent;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.localkubelet.Pod;
import io.edgeplug.localkubelet.PodSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
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
            round(
                    scratch.path(),
                    isHere
                            ? config.classes()
                            : config.classes().stream()
                                    .map(DeviceClass::withoutRecipe)
                                    .toList(),
                    limits);
        }
        return ExitCode.OK;
    }

    private void round(Path directory, List<DeviceClass> classes, Map<ResourceName, Integer> limits) throws Exception {
        Listed listed = new Listed();
        PrintWriter out = spec.commandLine().getOut();
        try (Sysroot sysroot = node.open();
                Monitor monitor = Monitor.open(sysroot.sysfs(), classes, UeventSource.silent(), Duration.ZERO);
                Supplies supplies =
                        Supplies.open(sysroot.sysfs(), ContainerDirectories.below(directory), monitor, classes);
                LocalKubelet kubelet = LocalKubelet.open(directory, listed::accept);
                Preparations preparations = new Preparations(sysroot.sysfs(), monitor);
                DevicePlugins plugins = DevicePlugins.open(directory, supplies, preparations)) {
            listed.await(limits.keySet());
            limits.keySet()
                    .forEach(resource -> out.println(kubelet.resource(resource).text()));
            Pod pod = kubelet.admit(new PodSpec("try", List.of(new PodSpec.Container(CONTAINER, limits))));
            kubelet.startContainer(pod.name(), CONTAINER);
            out.println("the container gets:");
            AllocationText.lines(pod.container(CONTAINER).allocation()).forEach(line -> out.println("  " + line));
        } catch (AdmissionException | ContainerStartException | TimeoutException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            out.flush();
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
