package io.edgeplug.rules;

import io.edgeplug.rules.Step.Vf;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a claim may choose of what the recipe of its class says of a VF; nothing unless the administrator allows it, since whoever
 * owns a pod writes its claim.
 *
 * @param vlans those that it may choose
 * @param mac whether it may choose a MAC address
 * @param maxRate the highest limit that it may choose of what a VF sends, in Mbit/s
 */
public record ClaimChoices(List<Integer> vlans, boolean mac, OptionalInt maxRate) {

    /** All is as the class says. */
    public static final ClaimChoices NONE = new ClaimChoices(List.of(), false, OptionalInt.empty());

    public ClaimChoices {
        vlans = List.copyOf(vlans);
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

    /** The settings of a VF with what was chosen in their place; what these do not say stays unsaid. */
    static Vf chosen(Vf said, Vf choice) {
        return new Vf(
                said.mac().flatMap(own -> choice.mac().or(() -> Optional.of(own))),
                said.vlan().isPresent() && choice.vlan().isPresent() ? choice.vlan() : said.vlan(),
                said.trust(),
                said.spoofCheck(),
                said.minRate(),
                said.maxRate().isPresent() && choice.maxRate().isPresent() ? choice.maxRate() : said.maxRate(),
                said.linkState());
    }
}
