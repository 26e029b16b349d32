package io.edgeplug.node.prepare;

import io.edgeplug.model.rules.Step;
import java.util.ArrayList;
import java.util.List;

/** The arguments of {@code ip} that set a PF's settings of its VFs; see ip-link(8). */
public final class IpLink {

    private IpLink() {}

    /** The arguments of {@code ip} for these settings of one VF. The PF has that interface. */
    public static List<String> settings(String pf, int vf, Step.Vf settings) {
        List<String> argv = new ArrayList<>(List.of("link", "set", "dev", pf, "vf", String.valueOf(vf)));
        settings.mac().ifPresent(address -> argv.addAll(List.of("mac", address)));
        settings.vlan().ifPresent(vlan -> argv.addAll(List.of("vlan", String.valueOf(vlan))));
        settings.minRate().ifPresent(rate -> argv.addAll(List.of("min_tx_rate", String.valueOf(rate))));
        settings.maxRate().ifPresent(rate -> argv.addAll(List.of("max_tx_rate", String.valueOf(rate))));
        settings.spoofCheck().ifPresent(on -> argv.addAll(List.of("spoofchk", on ? "on" : "off")));
        settings.trust().ifPresent(on -> argv.addAll(List.of("trust", on ? "on" : "off")));
        settings.linkState().ifPresent(state -> argv.addAll(List.of("state", state)));
        return argv;
    }
}
