package io.edgeplug.api.dra;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.DeviceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The devices of a class with shares, in one of two forms. A device is either one device with a capacity of shares, or
 * one device for each share. Claims keep what they have in the other form, and the shares in it are missing from this
 * form. So never more shares are allocated than there are.
 */
final class OfferedShares {

    private final DeviceClass deviceClass;
    private final int shares;
    private final Set<SliceField> fields;
    private final boolean asCapacity;

    /** By device, the IDs of shares that claims have as devices of their own. */
    private final Map<String, List<String>> single;

    /** By device, the IDs of shares that claims consume of its capacity. */
    private final Map<String, List<String>> consumed;

    /**
     * The shares of an offer.
     *
     * @param fields the fields that the API server keeps
     */
    OfferedShares(Offer offer, Set<SliceField> fields) {
        this.deviceClass = offer.deviceClass();
        this.shares = offer.shares();
        this.fields = fields;
        this.asCapacity = fields.contains(SliceField.CAPACITY) && DeviceNames.isCapacity(deviceClass);
        Map<Boolean, Map<String, List<String>>> held = offer.claimed().stream()
                .filter(id -> id.contains(Shares.SEPARATOR))
                .sorted()
                .collect(Collectors.partitioningBy(offer.consumed()::contains, Collectors.groupingBy(Shares::whole)));
        this.single = Map.copyOf(held.getOrDefault(false, Map.of()));
        this.consumed = Map.copyOf(held.getOrDefault(true, Map.of()));
    }

    /** The devices, in this order. One share of each comes first, so that claims get shares of different devices. */
    List<OfferedDevice> of(List<Device> devices) {
        List<OfferedDevice> all = new ArrayList<>();
        if (asCapacity) {
            devices.forEach(device -> capacity(device).ifPresent(all::add));
        } else {
            addShares(devices, all);
        }
        devices.forEach(device -> addLeft(device, all));
        return all;
    }

    private Optional<OfferedDevice> capacity(Device device) {
        int others = held(single, device).size();
        int mine = held(consumed, device).size();
        int left = shares - others;
        return left < 1 && mine == 0
                ? Optional.empty()
                : Optional.of(new OfferedDevice(
                        deviceClass,
                        device,
                        device.id(),
                        Optional.of(shares(Math.max(1, left))),
                        mine + others,
                        false));
    }

    private ShareCapacity shares(int number) {
        return new ShareCapacity(number, deviceClass.sharing().oneOnly());
    }

    private void addShares(List<Device> devices, List<OfferedDevice> all) {
        for (int share = 0; share < shares; share++) {
            for (Device device : devices) {
                String id = device.id() + Shares.SEPARATOR + share;
                if (!held(consumed, device).contains(id)) {
                    all.add(new OfferedDevice(deviceClass, device, id));
                }
            }
        }
    }

    /** Adds what claims have of a device in the other form, or of shares that it has no more. */
    private void addLeft(Device device, List<OfferedDevice> all) {
        Set<String> listed = asCapacity ? Set.of() : Set.copyOf(perDevice().ids(device.id(), shares));
        for (String id : held(single, device)) {
            if (!listed.contains(id)) {
                all.add(new OfferedDevice(deviceClass, device, id, Optional.empty(), 0, true));
            }
        }
        int mine = held(consumed, device).size();
        if (!asCapacity && mine > 0) {
            Optional<ShareCapacity> capacity =
                    Optional.of(shares(mine)).filter(any -> fields.contains(SliceField.CAPACITY));
            all.add(new OfferedDevice(deviceClass, device, device.id(), capacity, 0, true));
        }
    }

    private static List<String> held(Map<String, List<String>> held, Device device) {
        return held.getOrDefault(device.id(), List.of());
    }

    private Shares perDevice() {
        return new Shares(deviceClass.sharing().shares());
    }
}
