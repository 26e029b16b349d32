package io.edgeplug.api.dra;

import io.edgeplug.api.dra.SliceTexts.DeviceText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/** Which slice has which devices of a class. Devices keep their slice, so that one that goes changes no other slice. */
final class SliceLayout {

    private SliceLayout() {}

    /**
     * Distributes devices over slices, in their order.
     *
     * @param before by the name of a device, the index of the slice that it had. A new device goes to the slice of the
     *     device in front of it. If the order or the room does not allow that, all slices are filled anew.
     * @param most the greatest number of devices of a slice
     */
    static Collection<List<DeviceText>> of(List<DeviceText> devices, Map<String, Integer> before, int most) {
        NavigableMap<Integer, List<DeviceText>> slices = new TreeMap<>();
        int at = devices.stream()
                .map(device -> before.get(device.name()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(0);
        for (DeviceText device : devices) {
            int wanted = before.getOrDefault(device.name(), at);
            List<DeviceText> slice = slices.computeIfAbsent(wanted, none -> new ArrayList<>());
            if (wanted < at || slice.size() == most) {
                return filled(devices, most);
            }
            slice.add(device);
            at = wanted;
        }
        return slices.values();
    }

    private static List<List<DeviceText>> filled(List<DeviceText> devices, int most) {
        List<List<DeviceText>> slices = new ArrayList<>();
        for (int from = 0; from < devices.size(); from += most) {
            slices.add(devices.subList(from, Math.min(from + most, devices.size())));
        }
        return slices;
    }
}
