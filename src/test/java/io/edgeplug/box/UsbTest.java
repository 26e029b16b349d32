package io.edgeplug.box;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** USB devices by what they are: adapters, a disk, a sound card and a tablet, on a real kernel. */
@NodeScenario
final class UsbTest {

    private static final Duration NOT_THE_TICK = Duration.ofSeconds(20);

    private static final String SERIAL = "example.com/serial";
    private static final String ID = "0403-6001-";

    /** What the kubelet logs of a list, before the number of its devices. */
    private static final String LIST = "resource=\"" + SERIAL + "\" resourceCapacity=";

    private static final String ADAPTERS = """

            [[class]]
            resource = "example.com/serial"
            kind = "usb"
            match = { drivers = ["ftdi_sio"] }
            """;

    /** Takes them also while no driver is bound. */
    private static final String ADAPTERS_BY_ID =
            ADAPTERS.replace("drivers = [\"ftdi_sio\"]", "vendors = [\"0403\"], products = [\"6001\"]");

    private static final String OTHERS = """

            [[class]]
            resource = "example.com/tablet"
            kind = "usb"
            id = "port"
            match = { interface_classes = ["03"] }

            [[class]]
            resource = "example.com/disk"
            kind = "usb"
            id = "port"
            nodes = ["block"]
            match = { interface_classes = ["08"] }

            [[class]]
            resource = "example.com/sound"
            kind = "usb"
            id = "port"
            nodes = ["sound"]
            match = { interface_classes = ["01"] }
            """;

    @Test
    void adapterIsListedWithItsNodesAndLeavesWhenItIsPulled(Node node) throws Exception {
        Installation.configure(node, Installation.CONFIG + ADAPTERS_BY_ID);
        node.kubelet().awaitDevices(SERIAL);
        for (String number : List.of("edge1", "edge2")) {
            long plugged = System.nanoTime();
            node.plugSerial(number);
            node.kubelet().awaitDevicesWithin(NOT_THE_TICK, SERIAL, ID + number);
            note("there", plugged);

            long pulled = System.nanoTime();
            node.pullUsb(number);
            node.kubelet().awaitDevicesWithin(NOT_THE_TICK, SERIAL, ID + number + " (unhealthy)");
            note("unhealthy", pulled);
            node.kubelet().awaitDevicesWithin(NOT_THE_TICK, SERIAL);
            note("away", pulled);
        }
    }

    @Test
    void devicesBehindAHubGiveTheirContainersTheNodesOfTheirClassesWhichCanBeOpened(Node node) throws Exception {
        Installation.configure(node, Installation.CONFIG + OTHERS);
        node.plugUsb("hub", "usb-hub", "1");
        node.plugUsb("tablet", "usb-tablet", "1.1");
        node.plugUsb("disk", "usb-storage", "1.2");
        node.plugUsb("sound", "usb-audio", "1.3");

        node.kubelet().awaitDevices("example.com/tablet", "1-1.1");
        node.kubelet().awaitDevices("example.com/disk", "1-1.2");
        node.kubelet().awaitDevices("example.com/sound", "1-1.3");

        assertThat(given(node, "example.com/tablet"))
                .anyMatch(path -> path.startsWith("/dev/bus/usb/"))
                .anyMatch(path -> path.startsWith("/dev/input/event"))
                .anyMatch(path -> path.startsWith("/dev/hidraw"));
        assertThat(given(node, "example.com/disk")).containsExactly("/dev/sda");
        assertThat(given(node, "example.com/sound"))
                .contains("/dev/snd/controlC0")
                .allMatch(path -> path.startsWith("/dev/snd/"));

        node.pullUsb("hub");
        for (String resource : List.of("example.com/tablet", "example.com/disk", "example.com/sound")) {
            node.kubelet().awaitDevicesWithin(NOT_THE_TICK, resource, idOf(resource) + " (unhealthy)");
        }
    }

    /** The kernel numbers them in the order in which they are plugged. */
    @Test
    void heldAdaptersThatComeBackInTheOtherOrderAreUnhealthyUntilTheirPodsEnd(Node node) throws Exception {
        Installation.configure(node, Installation.CONFIG + ADAPTERS);
        plug(node, "edge1", 0);
        plug(node, "edge2", 1);
        node.kubelet().awaitDevicesWithin(NOT_THE_TICK, SERIAL, ID + "edge1", ID + "edge2");
        List<String> given = paths(node.kubelet().run("pod", SERIAL + "=2"));
        assertThat(given).hasSize(4).contains("/dev/ttyUSB0", "/dev/ttyUSB1");

        swap(node);
        assertThat(NodeKubelet.is(node.kubelet().start("pod"), "PreStartFailed"))
                .isTrue();
        node.kubelet().remove("pod");

        node.kubelet().awaitDevices(SERIAL, ID + "edge1", ID + "edge2");
        assertThat(paths(node.kubelet().run("other", SERIAL + "=2"))).isNotEqualTo(given);
    }

    @Test
    void adapterThatBeginsAnewNeverLeavesTheListAndIsResetBeforeItsContainerStarts(Node node) throws Exception {
        Installation.configure(node, Installation.CONFIG + ADAPTERS_BY_ID + "prepare = { reset = \"usb\" }\n");
        plug(node, "edge1", 0);
        node.kubelet().awaitDevicesWithin(NOT_THE_TICK, SERIAL, ID + "edge1");
        node.kubelet().forget();

        authorize(node, 0);
        node.kubelet().awaitDevices(SERIAL, ID + "edge1 (unhealthy)");
        authorize(node, 1);
        node.kubelet().awaitDevices(SERIAL, ID + "edge1");
        assertThat(node.kubelet().told(SERIAL)).allMatch(list -> list.size() == 1);

        List<String> given = paths(node.kubelet().run("pod", SERIAL + "=1"));
        assertThat(node.run("journalctl -k -b -o cat --no-pager | grep -c 'reset .* USB device' || true"))
                .isNotEqualTo("0");
        assertThat(node.run("ls -d " + String.join(" ", given)).lines()).hasSameSizeAs(given);
    }

    @Test
    void podsOfAKubeletOpenTheirNodesAndNeitherStartsAgainOnceTheirAdaptersSwappedThem(RealKubelets kubelets)
            throws Exception {
        RealKubelet kubelet = kubelets.of(Release.NEWEST);
        Node node = kubelet.node();
        node.write("/etc/edgeplug/class.d/usb.toml", ADAPTERS_BY_ID);
        Installation.reload(node);
        plug(node, "edge1", 0);
        kubelet.awaitLists(Set.of(LIST + 1));
        kubelet.start(opening("first"));
        JsonObject first = kubelet.awaitStatus("first", it -> isRunning(it, "Healthy"));
        assertThat(kubelet.printed("first", "main")).isEqualTo(ID + "edge1\nopened\nopened");
        plug(node, "edge2", 1);
        kubelet.awaitLists(Set.of(LIST + 2));
        kubelet.start(opening("second"));
        kubelet.awaitStatus("second", it -> isRunning(it, "Healthy"));

        authorize(node, 0);
        kubelet.awaitStatus("first", it -> isRunning(it, "Unhealthy"));
        authorize(node, 1);
        JsonObject again = kubelet.awaitStatus("first", it -> isRunning(it, "Healthy"));
        assertThat(container(again)).isEqualTo(container(first));

        swap(node);
        kubelet.awaitStatus("first", it -> isRunning(it, "Unhealthy"));
        kubelet.awaitStatus("second", it -> isRunning(it, "Unhealthy"));
        node.run("pkill -9 -x sleep");
        for (String pod : List.of("first", "second")) {
            kubelet.awaitStatus(pod, it -> it.toString().contains("its pod was given"));
            node.run("rm /etc/kubernetes/manifests/" + pod + ".json");
        }
        node.run("until journalctl -q -b -o cat -u kubelet.service | grep -F 'resourceName=\"" + SERIAL
                + "\"' | tail -1 | grep -q healthyCount=2; do sleep 0.5; done");

        kubelet.start(StaticPod.of("both", "echo $USBDEVICE_EXAMPLE_COM_SERIAL; ls /dev/ttyUSB*", SERIAL + "=2"));
        kubelet.awaitStatus("both", it -> isRunning(it, "Healthy"));
        assertThat(kubelet.printed("both", "main").lines())
                .containsExactly(ID + "edge1," + ID + "edge2", "/dev/ttyUSB0", "/dev/ttyUSB1");
    }

    private static StaticPod opening(String name) {
        return StaticPod.of(
                name,
                "echo $USBDEVICE_EXAMPLE_COM_SERIAL; stty -F /dev/ttyUSB0 >/dev/null && echo opened;"
                        + " find /dev/bus/usb -type c | while read n; do true <>$n && echo opened; done",
                SERIAL + "=1");
    }

    private static boolean isRunning(JsonObject pod, String health) {
        return RealKubelet.health(pod).equals(health) && RealKubelet.isRunning(pod);
    }

    private static JsonElement container(JsonObject pod) {
        return RealKubelet.containers(pod).getFirst().get("containerID");
    }

    private static void authorize(Node node, int value) throws Exception {
        String device = node.run("cd /sys/bus/usb/devices; echo $PWD/$(dirname $(grep -l edge1 */serial))");
        node.run("echo " + value + " >" + device + "/authorized");
    }

    /** Pulls both adapters and plugs them in the other order, so that each has the other's terminal. */
    private static void swap(Node node) throws Exception {
        node.pullUsb("edge1");
        node.pullUsb("edge2");
        node.run("while ls /dev/ttyUSB* 2>/dev/null; do sleep 0.1; done; udevadm settle");
        plug(node, "edge2", 0);
        plug(node, "edge1", 1);
        node.run("until edgeplug status >/run/status; grep -q '" + ID
                + "edge1.*its pod was given' /run/status; do sleep 0.2; done");
    }

    /** The nodes that a pod with one device gets, each of which the node's kernel opens. */
    private static List<String> given(Node node, String resource) throws Exception {
        List<String> paths = paths(node.kubelet().run(resource.substring(resource.indexOf('/') + 1), resource + "=1"));
        node.run("for node in " + String.join(" ", paths) + "; do : <$node; done");
        return paths;
    }

    private static String idOf(String resource) {
        return switch (resource) {
            case "example.com/tablet" -> "1-1.1";
            case "example.com/disk" -> "1-1.2";
            default -> "1-1.3";
        };
    }

    private static void plug(Node node, String number, int tty) throws Exception {
        node.plugSerial(number);
        node.run("while [ ! -e /dev/ttyUSB" + tty + " ]; do sleep 0.1; done; udevadm settle");
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
