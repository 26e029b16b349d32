package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Builds a PCI function for a test, which names what it is about; all else is unknown or absent. */
public final class FunctionBuilder {

    private final PciAddress address;
    private PciIdentity identity = PciIdentity.UNKNOWN;
    private PciTopology topology = PciTopology.UNKNOWN;
    private DriverBinding binding = DriverBinding.of(Optional.empty());
    private int virtualFunctions;

    public FunctionBuilder(PciAddress address) {
        this.address = address;
    }

    /** A network adapter of that vendor and device, with no subsystem. */
    public FunctionBuilder ethernet(int vendor, int device) {
        return identity(new PciIdentity(vendor, device, 0, 0, 0x020000));
    }

    public FunctionBuilder identity(PciIdentity other) {
        identity = other;
        return this;
    }

    public FunctionBuilder numaNode(int node) {
        topology = new PciTopology(
                OptionalInt.of(node),
                false,
                topology.iommuGroup(),
                topology.acpiIndex(),
                topology.rootPort(),
                topology.physicalFunction());
        return this;
    }

    public FunctionBuilder iommuGroup(int group) {
        topology = new PciTopology(
                topology.numaNode(),
                topology.isNumaGuess(),
                OptionalInt.of(group),
                topology.acpiIndex(),
                topology.rootPort(),
                topology.physicalFunction());
        return this;
    }

    public FunctionBuilder acpiIndex(long index) {
        topology = new PciTopology(
                topology.numaNode(),
                topology.isNumaGuess(),
                topology.iommuGroup(),
                OptionalLong.of(index),
                topology.rootPort(),
                topology.physicalFunction());
        return this;
    }

    public FunctionBuilder rootPort(PciAddress port) {
        topology = new PciTopology(
                topology.numaNode(),
                topology.isNumaGuess(),
                topology.iommuGroup(),
                topology.acpiIndex(),
                Optional.of(port),
                topology.physicalFunction());
        return this;
    }

    /** A driver that has made these interfaces and nothing else. */
    public FunctionBuilder driver(String name, String... netNames) {
        return binding(new DriverBinding(
                Optional.of(name),
                List.of(netNames),
                List.of(),
                List.of(),
                List.of(),
                DriverDevices.NONE,
                NodeUse.NONE,
                Optional.empty()));
    }

    public FunctionBuilder binding(DriverBinding other) {
        binding = other;
        return this;
    }

    public FunctionBuilder virtualFunctions(int number) {
        virtualFunctions = number;
        return this;
    }

    public PciFunction build() {
        return new PciFunction(address, identity, topology, binding, virtualFunctions, OptionalInt.empty());
    }

    /** The VF {@code 0000:3b:01.NUMBER} with that number, of {@code ens1f0}. */
    public static VirtualFunction vf(int number) {
        return new VirtualFunction(
                new FunctionBuilder(new PciAddress(0, 0x3b, 1, number)).build(),
                new PciAddress(0, 0x3b, 0, 0),
                number,
                List.of("ens1f0"),
                List.of(),
                Optional.empty(),
                Health.HEALTHY);
    }
}
