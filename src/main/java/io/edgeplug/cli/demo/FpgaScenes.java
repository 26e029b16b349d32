package io.edgeplug.cli.demo;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.inventory.Monitor;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.TimeoutException;

/** The scenes of {@code demo} with one FPGA that two resources offer. Each ends like those of {@link DemoScenes}. */
record FpgaScenes(Story story, SimulatedNode node, Monitor monitor, LocalKubelet kubelet) {

    private static final ResourceName CRYPTO = ResourceName.parse("example.com/fpga-crypto");
    private static final ResourceName CODEC = ResourceName.parse("example.com/fpga-codec");
    private static final String FPGA = "0000:5e:00.0";
    private static final String LOADED = "sys/class/fpga_manager/fpga0/image_id";
    private static final String FIRST_POD = "encrypt";
    private static final String SECOND_POD = "stream";

    void firstPodStarted() throws IOException, AdmissionException, ContainerStartException {
        start(FIRST_POD, CRYPTO);
    }

    void otherResourceWithheld() throws InterruptedException, TimeoutException {
        kubelet.await(CODEC, state -> state.allocatable() == 0, DemoScenes.PATIENCE);
        story.line("no other pod gets it: the kubelet has " + CODEC + " = 0");
        monitor.current()
                .device(CODEC, FPGA)
                .flatMap(device -> device.health().problem())
                .ifPresent(reason -> story.detail(FPGA + " " + reason));
    }

    void firstPodEnded() throws IOException, InterruptedException, TimeoutException {
        Instant ended = Instant.now();
        kubelet.delete(FIRST_POD);
        // The codec is offered again only after the FPGA is scrubbed.
        kubelet.await(CODEC, state -> state.allocatable() == 1, DemoScenes.PATIENCE);
        kubelet.await(CRYPTO, state -> state.allocatable() == 1, DemoScenes.PATIENCE);
        story.line("pod " + FIRST_POD + " ended: the FPGA is scrubbed, and both resources have it again", ended);
        tellImage();
    }

    void secondPodStarted() throws IOException, AdmissionException, ContainerStartException {
        start(SECOND_POD, CODEC);
    }

    private void start(String pod, ResourceName resource)
            throws IOException, AdmissionException, ContainerStartException {
        Instant asked = Instant.now();
        kubelet.admit(PodSpec.of(pod, resource, 1));
        kubelet.startContainer(pod, "main");
        story.line("pod " + pod + " started, once the FPGA was programmed as " + resource, asked);
        tellImage();
    }

    private void tellImage() throws IOException {
        story.detail("the FPGA says: " + node.sysfs().read(LOADED).orElse("nothing"));
    }
}
