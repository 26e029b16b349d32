package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Fpga;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.DeviceClass;
import java.util.List;

/**
 * The attributes of a device in a slice, by which claims choose with CEL. Some are those that all drivers of Kubernetes
 * share. Multus finds its device by others. The rest are our own, in the domain of the driver.
 */
final class DeviceAttributes {

    private static final String STANDARD = "resource.kubernetes.io/";
    private static final String MULTUS = "k8s.cni.cncf.io/";

    /** The API server refuses a slice with a longer text. */
    static final int MAX_TEXT = 64;

    private final JsonObject attributes = new JsonObject();

    private DeviceAttributes() {}

    /** The attributes of a device in that class, in the form of {@code spec.devices[].attributes}. */
    static JsonObject of(DeviceClass deviceClass, Device device) {
        DeviceAttributes made = new DeviceAttributes();
        made.text("kind", device.kind().word());
        made.text("resource", deviceClass.resource().toString());
        made.text("id", device.id());
        device.driver().ifPresent(driver -> made.text("driver", driver));
        // Multus asks for the device by the names that the device plugin uses.
        made.text(MULTUS + "deviceID", device.id());
        made.text(MULTUS + "resourceName", deviceClass.resource().toString());
        List<Integer> nodes = deviceClass.placement().excludeTopology() ? List.of() : deviceClass.numaNodes(device);
        if (nodes.size() == 1) {
            made.add(STANDARD + "numaNode", "int", nodes.getFirst());
        }
        made.add("rdma", "bool", !device.rdmaDevices().isEmpty());
        switch (device) {
            case PciDevice pci -> made.pci(pci);
            case SoftwareHca hca -> {}
            case PlatformFpga fpga -> {}
            case PathDevice path -> {}
            case UsbDevice usb -> made.usb(usb);
        }
        return made.attributes;
    }

    private void usb(UsbDevice usb) {
        text("usbVendor", usb.vendor());
        text("usbProduct", usb.product());
        text("usbPort", usb.port().path());
        usb.serial().ifPresent(serial -> text("usbSerial", serial));
        usb.controller().ifPresent(controller -> text("usbController", controller.toString()));
    }

    private void pci(PciDevice pci) {
        PciFunction function = pci.function();
        text(STANDARD + "pciBusID", function.address().toString());
        text(STANDARD + "pcieRoot", root(function));
        text("vendor", "%04x".formatted(function.vendor()));
        text("device", "%04x".formatted(function.device()));
        function.linkTypes().stream().findFirst().ifPresent(type -> text("linkType", type));
        if (function.iommuGroup().isPresent()) {
            add("iommuGroup", "int", function.iommuGroup().getAsInt());
        }
        if (pci instanceof PfPart part) {
            part.physicalNetNames().stream().findFirst().ifPresent(name -> text("pf", name));
            text("pfPciBusID", part.physicalFunction().toString());
        }
        if (pci instanceof VirtualFunction vf) {
            add("vf", "int", vf.index());
        }
        if (pci instanceof Fpga fpga) {
            fpga.afuIds().stream().findFirst().ifPresent(afu -> text("afu", afu));
        }
    }

    /** The root complex: the bus of the root port, or of the function itself if it has no root port. */
    private static String root(PciFunction function) {
        PciAddress top = function.rootPort().orElse(function.address());
        String address = top.toString();
        return "pci" + address.substring(0, address.lastIndexOf(':'));
    }

    private void text(String name, String value) {
        if (!value.isEmpty() && value.length() <= MAX_TEXT) {
            add(name, "string", value);
        }
    }

    private void add(String name, String type, Object value) {
        attributes.add(name, Json.of(type, value));
    }
}
