package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.system.kernel.LinkAddress;
import java.util.List;

/**
 * What the status of a claim says of the network interface of a device ({@code networkData}).
 *
 * @param name in the pod
 * @param addresses with their prefixes
 */
record NetworkData(String name, List<String> addresses, String mac) {

    /** Nothing is said of a network interface. */
    static final NetworkData NONE = new NetworkData("", List.of(), "");

    // Kubernetes refuses the whole status if there is more of one.
    private static final int MAX_NAME = 256;
    private static final int MAX_MAC = 128;
    private static final int MAX_ADDRESSES = 16;

    /** The longest address with its prefix is shorter. */
    private static final int MAX_ADDRESS = 64;

    private static final String KEY = "networkData";
    private static final String NAME = "interfaceName";
    private static final String ADDRESSES = "ips";
    private static final String MAC = "hardwareAddress";

    NetworkData {
        addresses = List.copyOf(addresses);
    }

    /** What is to be said of an interface. What Kubernetes would refuse is left out. */
    static NetworkData of(PodInterface moved) {
        return new NetworkData(
                moved.name().length() > MAX_NAME ? "" : moved.name(),
                moved.addresses().stream()
                        .map(LinkAddress::toString)
                        .distinct()
                        .limit(MAX_ADDRESSES)
                        .toList(),
                moved.mac().length() > MAX_MAC ? "" : moved.mac());
    }

    /** What the status of a device says. Longer texts than Kubernetes takes are cut. */
    static NetworkData read(JsonObject device) {
        JsonObject told = Json.object(device, KEY);
        return new NetworkData(
                Json.text(told, NAME, MAX_NAME),
                Json.texts(told, ADDRESSES)
                        .limit(MAX_ADDRESSES)
                        .map(text -> Json.start(text, MAX_ADDRESS))
                        .toList(),
                Json.text(told, MAC, MAX_MAC));
    }

    /** Says it of a device. */
    void addTo(JsonObject device) {
        if (equals(NONE)) {
            return;
        }
        JsonObject told = Json.of(NAME, name, MAC, mac);
        JsonArray ips = new JsonArray();
        addresses.forEach(ips::add);
        told.add(ADDRESSES, ips);
        device.add(KEY, told);
    }

    /** About how many characters it has. */
    int size() {
        return name.length()
                + mac.length()
                + addresses.stream().mapToInt(String::length).sum();
    }
}
