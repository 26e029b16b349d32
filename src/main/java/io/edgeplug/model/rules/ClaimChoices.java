package io.edgeplug.model.rules;

import io.edgeplug.model.rules.Step.Vf;
import io.edgeplug.system.kernel.LinkAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings that a claim may choose in place of those in the recipe of its class. A pod's owner writes the claim, so
 * a claim may choose only what the administrator allows.
 *
 * @param vlans the VLANs that it may choose
 * @param mac whether it may choose a MAC address
 * @param maxRate the highest limit that it may choose for the rate of the VF, in Mbit/s
 * @param images the images that it may choose for its FPGA
 * @param name whether it may choose the name of its interface in the pod
 * @param networks in which it may choose addresses of that interface
 */
public record ClaimChoices(
        List<Integer> vlans,
        boolean mac,
        OptionalInt maxRate,
        List<Image> images,
        boolean name,
        List<LinkAddress> networks) {

    /** A claim may choose nothing. */
    public static final ClaimChoices NONE =
            new ClaimChoices(List.of(), false, OptionalInt.empty(), List.of(), false, List.of());

    public ClaimChoices {
        vlans = List.copyOf(vlans);
        images = List.copyOf(images);
        networks = List.copyOf(networks);
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    /** The recipe's settings that a claim may choose. They must be set again before anybody else gets the VF. */
    public Vf restored(Vf said) {
        return new Vf(
                mac ? said.mac() : Optional.empty(),
                vlans.isEmpty() ? OptionalInt.empty() : said.vlan(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                maxRate.isPresent() ? said.maxRate() : OptionalInt.empty(),
                Optional.empty());
    }
}
