package io.edgeplug.node.container;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.device.Vfio;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The functions of a node by IOMMU group. VFIO hands out a group only as a whole, once no driver of the kernel itself
 * holds any member; see {@code iommu_group_claim_dma_owner} in the kernel's drivers/iommu/iommu.c. One thread at a
 * time.
 */
public final class IommuGroups {

    /** These drivers leave DMA to the holder of the group. */
    private static final Set<String> HARMLESS = Set.of("pci-stub", "pcieport");

    private final Map<Integer, List<PciFunction>> members = new HashMap<>();

    /** The devices are grouped at the first question for a group, which only VFIO needs. */
    private Collection<? extends Device> ungrouped;

    private IommuGroups(Collection<? extends Device> devices) {
        this.ungrouped = devices;
    }

    /** The groups of all these devices, which should be those of a whole node and do not change. */
    public static IommuGroups of(Collection<? extends Device> devices) {
        return new IommuGroups(devices);
    }

    private void group() {
        for (Device device : ungrouped) {
            // A sub-function has the address and group of its PF, and another driver.
            if (device instanceof PciDevice pci
                    && !(device instanceof SubFunction)
                    && pci.function().iommuGroup().isPresent()) {
                add(pci.function().iommuGroup().getAsInt(), pci.function());
            }
        }
        ungrouped = List.of();
    }

    /** Functions come in the order of their addresses. A function may come as several devices, one after the other. */
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
     * Why a container cannot use a function that is bound to VFIO or will be. It names the group mates that prevent it.
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
