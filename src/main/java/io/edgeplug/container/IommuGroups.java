package io.edgeplug.container;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PciFunction;
import io.edgeplug.device.SubFunction;
import io.edgeplug.device.Vfio;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The functions of a node by IOMMU group: VFIO gives out a group only as a whole, once no driver of the kernel's own
 * holds any of it; see {@code iommu_group_claim_dma_owner} in the kernel's drivers/iommu/iommu.c. One thread at a time.
 */
public final class IommuGroups {

    /** They leave DMA to whoever has the group. */
    private static final Set<String> HARMLESS = Set.of("pci-stub", "pcieport");

    private final Map<Integer, List<PciFunction>> members = new HashMap<>();

    /** They are grouped when a group is asked for, which only VFIO makes anyone do. */
    private Collection<? extends Device> ungrouped;

    private IommuGroups(Collection<? extends Device> devices) {
        this.ungrouped = devices;
    }

    /** The groups of all these devices, which should be those of a whole node and are not changed. */
    public static IommuGroups of(Collection<? extends Device> devices) {
        return new IommuGroups(devices);
    }

    private void group() {
        for (Device device : ungrouped) {
            // a sub-function has its PF's address and group, and another driver
            if (device instanceof PciDevice pci
                    && !(device instanceof SubFunction)
                    && pci.function().iommuGroup().isPresent()) {
                add(pci.function().iommuGroup().getAsInt(), pci.function());
            }
        }
        ungrouped = List.of();
    }

    /** In the order of their addresses; a function may come as several devices, one after the other. */
    private void add(int group, PciFunction function) {
        List<PciFunction> mates = members.computeIfAbsent(group, none -> new ArrayList<>(1));
        if (mates.isEmpty() || !mates.getLast().address().equals(function.address())) {
            mates.add(function);
        }
    }

    private List<PciFunction> mates(PciFunction function) {
        group();
        return members.getOrDefault(function.iommuGroup().orElseThrow(), List.of());
    }

    /**
     * Why a function that is bound to VFIO, or is going to be, cannot be used by a container; it names the group mates
     * that are in the way.
     */
    Optional<String> problem(PciFunction function) {
        if (function.iommuGroup().isEmpty()) {
            return Optional.of("VFIO needs an IOMMU group and it has none: the IOMMU is off");
        }
        int group = function.iommuGroup().getAsInt();
        List<String> inTheWay = new ArrayList<>();
        for (PciFunction mate : mates(function)) {
            mate.driver()
                    .filter(driver -> !mate.address().equals(function.address()))
                    .filter(driver -> !Vfio.isDriver(driver) && !HARMLESS.contains(driver))
                    .ifPresent(driver -> inTheWay.add(mate.address() + " is bound to " + driver));
        }
        return inTheWay.isEmpty()
                ? Optional.empty()
                : Optional.of("its IOMMU group " + group + " cannot be handed out: " + String.join(", ", inTheWay));
    }
}
