package io.edgeplug.kubelet;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.edgeplug.device.Device;
import io.edgeplug.device.PciDevice;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which devices containers hold, of whichever plugin, as the kubelet has noted it in its checkpoint; see
 * pkg/kubelet/cm/devicemanager/checkpoint in Kubernetes.
 *
 * <p>A device is noted before its container starts. One whose pod has ended stays noted until the kubelet gives devices
 * to another: so what is not noted is free, and what is may be held. The checksum is not looked at, since it is another
 * in other versions and the kubelet replaces the file in one step.
 *
 * @param holdings one for each ID, several for a device with shares
 */
public record HeldDevices(List<Holding> holdings) {

    static final String FILE = "kubelet_internal_checkpoint";

    public HeldDevices {
        holdings = List.copyOf(holdings);
    }

    /** A container, by its pod's UID, and an ID that it was given. */
    public record Holding(String pod, String container, String resource, String id) {

        private boolean concerns(Device device) {
            String held = id.split(Shares.SEPARATOR, 2)[0];
            if (device instanceof PciDevice pci) {
                // what is done to a function does not leave its parts alone
                return (held + "-").startsWith(pci.function().address() + "-") || held.equals(device.id());
            }
            return held.equals(device.id());
        }
    }

    /**
     * Reads the checkpoint in the kubelet's directory for device plugins.
     *
     * @throws IOException if it does not tell; the message says why
     */
    public static HeldDevices read(Path kubeletDir) throws IOException {
        Path file = kubeletDir.resolve(FILE);
        try {
            JsonObject data = JsonParser.parseString(Files.readString(file))
                    .getAsJsonObject()
                    .getAsJsonObject("Data");
            JsonElement entries = data.get("PodDeviceEntries");
            List<Holding> holdings = new ArrayList<>();
            if (!entries.isJsonNull()) {
                entries.getAsJsonArray().forEach(entry -> holdings.addAll(holdings(entry.getAsJsonObject())));
            }
            return new HeldDevices(holdings);
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException(file + ": Permission denied", e);
        } catch (JsonParseException
                | IllegalStateException
                | UnsupportedOperationException
                | ClassCastException
                | NullPointerException e) {
            throw new IOException(file + ": is not as a kubelet writes it", e);
        }
    }

    /** Who holds a device, or a part or a share of it; the first of several. */
    public Optional<Holding> of(Device device) {
        return holdings.stream().filter(holding -> holding.concerns(device)).findFirst();
    }

    private static List<Holding> holdings(JsonObject entry) {
        return ids(entry.get("DeviceIDs"))
                .map(id -> new Holding(
                        entry.get("PodUID").getAsString(),
                        entry.get("ContainerName").getAsString(),
                        entry.get("ResourceName").getAsString(),
                        id))
                .toList();
    }

    /** By NUMA node, and before Kubernetes 1.20 as a list. */
    private static Stream<String> ids(JsonElement element) {
        if (element.isJsonPrimitive()) {
            return Stream.of(element.getAsString());
        }
        if (element.isJsonArray()) {
            return element.getAsJsonArray().asList().stream().flatMap(HeldDevices::ids);
        }
        return element.getAsJsonObject().asMap().values().stream().flatMap(HeldDevices::ids);
    }
}
