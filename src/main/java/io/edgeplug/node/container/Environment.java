package io.edgeplug.node.container;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FpgaRegion;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Template;
import io.edgeplug.model.rules.UsbRules;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A container's environment, with the names and forms that users of the SR-IOV and Intel FPGA plugins know. */
final class Environment {

    private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

    private Environment() {}

    static SortedMap<String, String> of(DeviceClass deviceClass, Collection<Equipment> devices) {
        SortedMap<String, String> env = filled(deviceClass.container().env(), devices);
        if (deviceClass.kind() == Kind.PATH) {
            return env;
        }
        if (deviceClass.kind() == Kind.USB) {
            putUsb(env, deviceClass, devices);
            return env;
        }
        put(env, deviceClass, "PCIDEVICE_", "", ids(devices));
        put(env, deviceClass, "PCIDEVICE_", "_INFO", info(devices));
        String vfio = ids(devices.stream().filter(Equipment::isVfio).toList());
        if (!vfio.isEmpty()) {
            put(env, deviceClass, "PCI_RESOURCE_", "", vfio);
        }
        for (Equipment device : devices) {
            if (device.device() instanceof FpgaRegion region) {
                put(env, region);
            }
        }
        return env;
    }

    /** The values of several devices are joined by commas. A value that does not depend on the device stands once. */
    static SortedMap<String, String> filled(SortedMap<String, Template> templates, Collection<Equipment> devices) {
        TreeMap<String, String> texts = new TreeMap<>();
        templates.forEach((name, template) -> texts.put(
                name,
                devices.stream()
                        .limit(template.isConstant() ? 1 : devices.size())
                        .map(Equipment::device)
                        .map(template::fill)
                        .collect(Collectors.joining(","))));
        return texts;
    }

    /** The value of one device in {@code _INFO}. */
    static String json(Map<String, ? extends Map<String, String>> sections) {
        return JSON.toJson(sections);
    }

    private static void put(
            Map<String, String> env, DeviceClass deviceClass, String before, String after, String value) {
        deviceClass.resource().variables(before, after).forEach(name -> env.put(name, value));
    }

    private static void putUsb(Map<String, String> env, DeviceClass deviceClass, Collection<Equipment> devices) {
        for (UsbRules.Variable variable : UsbRules.Variable.values()) {
            String value =
                    devices.stream().map(device -> variable.of(device.device())).collect(Collectors.joining(","));
            variable.names(deviceClass.resource()).forEach(name -> env.put(name, value));
        }
    }

    /** The variables have the kernel's numbers of regions, so no two regions of a node share a name. */
    private static void put(Map<String, String> env, FpgaRegion region) {
        String number = region.region().replaceAll("\\D", "");
        region.compatId().ifPresent(id -> env.put("FPGA_REGION_" + number, id));
        env.put("FPGA_AFU_" + number, String.join(",", region.afuIds()));
    }

    private static String ids(Collection<Equipment> devices) {
        return devices.stream().map(Equipment::device).map(Device::id).collect(Collectors.joining(","));
    }

    private static String info(Collection<Equipment> devices) {
        return devices.stream()
                .map(device -> JSON.toJson(device.id()) + ":" + device.info())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
