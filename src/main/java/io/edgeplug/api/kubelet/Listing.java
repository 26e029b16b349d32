package io.edgeplug.api.kubelet;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.system.flow.IncrementalMapping;
import java.util.List;
import java.util.TreeSet;

/** Makes the list of a resource for the kubelet. Only changed devices are worked out again. One thread at a time. */
final class Listing {

    /** The kubelet's bit masks of NUMA nodes have no room for more. */
    private static final int MAX_NUMA_NODES = 64;

    private final DeviceClass deviceClass;
    private final Shares shares;
    private final IncrementalMapping<Device, Advertised> devices = new IncrementalMapping<>();
    private final IncrementalMapping<Advertised, List<Advertised>> shared = new IncrementalMapping<>();

    /** How many shares of each device were listed last. */
    private int count;

    Listing(DeviceClass deviceClass) {
        this.deviceClass = deviceClass;
        this.shares = new Shares(deviceClass.sharing().shares());
    }

    /** The whole list of these devices, with that many shares of each, on a node with these NUMA nodes. */
    List<Advertised> of(List<Device> newest, int listed, List<Integer> online) {
        List<Advertised> own = devices.map(newest, this::own);
        List<Advertised> near = deviceClass.placement().excludeTopology() ? own : withNodes(own, online);
        return deviceClass.sharing().isShared() ? shared(near, listed) : near;
    }

    /** With the NUMA nodes of the device itself. */
    private Advertised own(Device device) {
        List<Integer> nodes =
                deviceClass.placement().excludeTopology() ? List.of() : known(deviceClass.numaNodes(device));
        return new Advertised(device.id(), device.health().isHealthy(), nodes);
    }

    /** The nodes among these that the kubelet can know, usually all. A device near none of them has none. */
    private static List<Integer> known(List<Integer> nodes) {
        for (int node : nodes) {
            if (node >= MAX_NUMA_NODES) {
                return nodes.stream().filter(one -> one < MAX_NUMA_NODES).toList();
            }
        }
        return nodes;
    }

    /**
     * Either all devices of a resource have nodes, or none has. If one has nodes, the kubelet finds that a device
     * without nodes fits nowhere. So a device without nodes is listed as near all of them.
     */
    private static List<Advertised> withNodes(List<Advertised> own, List<Integer> online) {
        boolean isAnyWithout = false;
        for (Advertised one : own) {
            isAnyWithout |= one.numaNodes().isEmpty();
        }
        if (!isAnyWithout) {
            return own;
        }
        TreeSet<Integer> nodes = new TreeSet<>();
        own.forEach(one -> nodes.addAll(one.numaNodes()));
        if (nodes.isEmpty()) {
            return own;
        }
        nodes.addAll(known(online));
        List<Integer> all = List.copyOf(nodes);
        return own.stream()
                .map(one -> one.numaNodes().isEmpty() ? new Advertised(one.id(), one.healthy(), all) : one)
                .toList();
    }

    private List<Advertised> shared(List<Advertised> list, int listed) {
        if (listed != count) {
            shared.forget();
            count = listed;
        }
        return shared.map(list, this::shared).stream().flatMap(List::stream).toList();
    }

    private List<Advertised> shared(Advertised device) {
        return shares.ids(device.id(), count).stream()
                .map(id -> new Advertised(id, device.healthy(), device.numaNodes()))
                .toList();
    }
}
