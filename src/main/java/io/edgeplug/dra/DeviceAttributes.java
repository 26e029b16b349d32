package io.edgeplug.dra;

import com.google.gson.JsonObject;
import io.edgeplug.device.Device;
import io.edgeplug.device.Fpga;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PciFunction;
import io.edgeplug.device.PfPart;
import io.edgeplug.device.PlatformFpga;
import io.edgeplug.device.SoftwareHca;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.rules.DeviceClass;
import java.util.List;

/**
 * What a slice tells of a device, by which claims choose with CEL: the attributes that Kubernetes has agreed on, those by which
 * Multus finds its device, and our own, which stand in the domain of the driver.
 */
final class DeviceAttributes {

    private static final String STANDARD = "resource.kubernetes.io/";
    private static final String MULTUS = "k8s.cni.cncf.io/";

    /** Longer texts are refused with the whole slice. */
    static final int MAX_TEXT = 64;

    private final JsonObject attributes = new JsonObject();

    private DeviceAttributes() {}

    /** The attributes of a device that a class takes, in the form of {@code spec.devices[].attributes}. */
    static JsonObject of(DeviceClass deviceClass, Device device) {
        DeviceAttributes made = new DeviceAttributes();
        made.text("kind", device.kind().word());
        made.text("resource", deviceClass.resource().toString());
        made.text("id", device.id());
        device.driver().ifPresent(driver -> made.text("driver", driver));
        // Multus asks for the device by what the device plugin would have called it
        made.text(MULTUS + "deviceID", device.id());
        made.text(MULTUS + "resourceName", deviceClass.resource().toString());
        List<Integer> nodes = deviceClass.excludeTopology() ? List.of() : deviceClass.numaNodes(device);
        if (nodes.size() == 1) {
            made.number(STANDARD + "numaNode", nodes.getFirst());
        }
        made.flag("rdma", !device.rdmaDevices().isEmpty());
        switch (device) {
            case PciDevice pci -> made.pci(pci);
            case SoftwareHca hca -> {}
            case PlatformFpga fpga -> {}
            case PathDevice path -> {}
        }
        return made.attributes;
    }

    private void pci(PciDevice pci) {
        PciFunction function = pci.function();
        text(STANDARD + "pciBusID", function.address().toString());
        text(STANDARD + "pcieRoot", root(function));
        text("vendor", "%04x".formatted(function.vendor()));
        text("device", "%04x".formatted(function.device()));
        function.linkTypes().stream().findFirst().ifPresent(type -> text("linkType", type));
        if (function.iommuGroup().isPresent()) {
            number("iommuGroup", function.iommuGroup().getAsInt());
        }
        if (pci instanceof PfPart part) {
            part.physicalNetNames().stream().findFirst().ifPresent(name -> text("pf", name));
            text("pfPciBusID", part.physicalFunction().toString());
        }
        if (pci instanceof VirtualFunction vf) {
            number("vf", vf.index());
        }
        if (pci instanceof Fpga fpga) {
            fpga.afuIds().stream().findFirst().ifPresent(afu -> text("afu", afu));
        }
    }

    /** The root complex: the bus of the root port, or of a function that sits on it itself. */
    private static String root(PciFunction function) {
        PciAddress top = function.rootPort().orElse(function.address());
        String address = top.toString();
        return "pci" + address.substring(0, address.lastIndexOf(':'));
    }

    private void text(String name, String value) {
        if (!value.isEmpty() && value.length() <= MAX_TEXT) {
            add(name).addProperty("string", value);
        }
    }

    private void number(String name, int value) {
        add(name).addProperty("int", value);
    }

    private void flag(String name, boolean value) {
        add(name).addProperty("bool", value);
    }

    private JsonObject add(String name) {
        JsonObject value = new JsonObject();
        attributes.add(name, value);
        return value;
    }
}
