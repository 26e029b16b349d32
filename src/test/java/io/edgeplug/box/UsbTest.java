package io.edgeplug.box;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** USB devices by what they are, on a real kernel. The box has the driver of serial adapters and no other of USB. */
@NodeScenario
final class UsbTest {

    private static final Duration NOT_THE_TICK = Duration.ofSeconds(20);

    private static final String RESOURCE = "example.com/usb";
    private static final String ID = "0403-6001-";

    private static final String CLASS = """

            [[class]]
            resource = "example.com/usb"
            kind = "usb"
            match = { drivers = ["ftdi_sio"] }
            """;

    @Test
    void adapterIsListedWithItsNodesAndLeavesWhenItIsPulled(Node node) throws Exception {
        Installation.configure(node, Installation.CONFIG + CLASS);
        node.kubelet().awaitDevices(RESOURCE);
        for (String number : List.of("edge1", "edge2")) {
            long plugged = System.nanoTime();
            node.plugSerial(number);
            node.kubelet().awaitDevicesWithin(NOT_THE_TICK, RESOURCE, ID + number);
            note("there", plugged);

            long pulled = System.nanoTime();
            node.pullSerial(number);
            node.kubelet().awaitDevicesWithin(NOT_THE_TICK, RESOURCE);
            note("away", pulled);
        }
    }

    @Test
    void containerGetsTheTerminalAndTheNodeOfLibusb(Node node) throws Exception {
        Installation.configure(node, Installation.CONFIG + CLASS);
        node.plugSerial("edge1");
        node.kubelet().awaitDevicesWithin(NOT_THE_TICK, RESOURCE, ID + "edge1");

        JsonObject given = node.kubelet().run("pod", RESOURCE + "=1");

        assertThat(paths(given)).hasSize(2).contains("/dev/ttyUSB0").anyMatch(path -> path.startsWith("/dev/bus/usb/"));
        node.run("for node in " + String.join(" ", paths(given)) + "; do : <$node; done");
    }

    /** The kernel gives the adapter another number on its bus, so the node of libusb is another one. */
    @Test
    void heldAdapterThatIsPluggedInAgainIsUnhealthyUntilItsPodEnds(Node node) throws Exception {
        Installation.configure(node, Installation.CONFIG + CLASS);
        node.plugSerial("edge1");
        node.kubelet().awaitDevicesWithin(NOT_THE_TICK, RESOURCE, ID + "edge1");
        JsonObject given = node.kubelet().run("pod", RESOURCE + "=1");

        node.pullSerial("edge1");
        node.kubelet().awaitDevicesWithin(NOT_THE_TICK, RESOURCE, ID + "edge1 (unhealthy)");
        node.plugSerial("edge1");
        node.run("until edgeplug status >/run/status; grep -q '" + ID
                + "edge1.*which its pod was given' /run/status; do" + " sleep 0.2; done");
        node.kubelet().remove("pod");

        node.kubelet().awaitDevices(RESOURCE, ID + "edge1");
        assertThat(paths(node.kubelet().run("other", RESOURCE + "=1"))).isNotEqualTo(paths(given));
    }

    private static List<String> paths(JsonObject allocation) {
        return StreamSupport.stream(allocation.getAsJsonArray("devices").spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .map(device -> device.get("hostPath").getAsString())
                .toList();
    }

    private static void note(String what, long since) {
        System.err.println(
                what + " after " + Duration.ofNanos(System.nanoTime() - since).toMillis() + " ms");
    }
}
