package io.edgeplug.rules;

import io.edgeplug.rules.Step.Vf;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a claim may choose of what the recipe of its class says; nothing unless the administrator allows it, since whoever
 * owns a pod writes its claim.
 *
 * @param vlans those that it may choose
 * @param mac whether it may choose a MAC address
 * @param maxRate the highest limit that it may choose of what a VF sends, in Mbit/s
 * @param images those that it may choose for its FPGA
 */
public record ClaimChoices(List<Integer> vlans, boolean mac, OptionalInt maxRate, List<Image> images) {

    /** All is as the class says. */
    public static final ClaimChoices NONE = new ClaimChoices(List.of(), false, OptionalInt.empty(), List.of());

    public ClaimChoices {
        vlans = List.copyOf(vlans);
        images = List.copyOf(images);
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    /** Of what a recipe says of a VF, what a claim may choose: the next who gets the VF must not find what a claim chose. */
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
