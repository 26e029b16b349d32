package io.edgeplug.rules;

import io.edgeplug.rules.Step.Vf;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings of a VF that a claim may choose in place of those in its class. A pod's owner writes the claim, so a
 * claim may choose only what the administrator allows.
 *
 * @param vlans the VLANs that it may choose
 * @param mac whether it may choose a MAC address
 * @param maxRate the highest limit that it may choose for the rate of the VF, in Mbit/s
 */
public record ClaimChoices(List<Integer> vlans, boolean mac, OptionalInt maxRate) {

    /** A claim may choose nothing. */
    public static final ClaimChoices NONE = new ClaimChoices(List.of(), false, OptionalInt.empty());

    public ClaimChoices {
        vlans = List.copyOf(vlans);
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    /**
     * The settings of a VF with the chosen ones in place of the class's. A setting that the class leaves out stays left
     * out.
     */
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
