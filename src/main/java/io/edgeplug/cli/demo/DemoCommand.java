package io.edgeplug.cli.demo;

import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.ScratchDirectory;
import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import picocli.CommandLine.Command;

/** Runs the daemon's parts with a local kubelet. Only the hardware is simulated. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Show what edgeplug does, on a simulated node, without root or a cluster: register, allocate, "
                + "reset before a container starts, follow hot-plug, a failure, a kubelet restart and the end of a "
                + "pod, and offer one FPGA with two images. Exit 0 if the kubelet saw all of it.")
public final class DemoCommand implements Callable<Integer> {

    @Override
    public Integer call() throws IOException, ConfigException, InterruptedException {
        Journal.toStderr(Level.SEVERE);
        try (ScratchDirectory scratch = ScratchDirectory.make("edgeplug-demo")) {
            tell(scratch.path());
            return ExitCode.OK;
        } catch (TimeoutException e) {
            throw new IOException("the kubelet did not see it: " + e.getMessage(), e);
        } catch (AdmissionException | ContainerStartException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void tell(Path directory)
            throws IOException, ConfigException, InterruptedException, TimeoutException, AdmissionException,
                    ContainerStartException {
        Story story = new Story(System.out);
        Config config = config(directory);
        Path kubeletDir = directory.resolve("device-plugins");
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree() + DemoNode.fpga(), directory.resolve("node"));
                Monitor monitor = Monitor.open(node.sysfs(), config.classes(), node.uevents(), config.settle());
                Supplies supplies =
                        new Supplies(node.sysfs(), ContainerDirectories.below(directory), monitor, config.classes());
                LocalKubelet kubelet =
                        LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {});
                Preparations preparations = new Preparations(node.sysfs(), monitor, kubeletDir);
                DevicePlugins plugins =
                        new DevicePlugins(null, kubeletDir, directory, supplies, preparations, PreparedClaims.none())) {
            DemoScenes scenes = new DemoScenes(story, node, kubelet);
            scenes.scanned(monitor.current());
            scenes.registered(
                    config.classes().stream().map(DeviceClass::resource).toList());
            scenes.podAllocated();
            scenes.containerStarted();
            scenes.vfPlugged();
            scenes.deviceBrokenAndHealed();
            scenes.kubeletRestarted();
            scenes.podEnded();
            FpgaScenes fpga = new FpgaScenes(story, node, monitor, kubelet);
            fpga.firstPodStarted();
            fpga.otherResourceWithheld();
            fpga.firstPodEnded();
            fpga.secondPodStarted();
            story.line("done: the kubelet saw every step");
        }
    }

    private static Config config(Path directory) throws IOException, ConfigException {
        Path file = directory.resolve("edgeplug.toml");
        copy("demo.toml", file);
        copy(
                "demo-fpga.toml",
                Files.createDirectory(directory.resolve("class.d")).resolve("fpga.toml"));
        return ConfigFiles.read(file);
    }

    private static void copy(String resource, Path file) throws IOException {
        try (InputStream in = Objects.requireNonNull(DemoCommand.class.getResourceAsStream(resource), resource)) {
            Files.copy(in, file);
        }
    }
}
