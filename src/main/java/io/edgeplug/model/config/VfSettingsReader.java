package io.edgeplug.model.config;

import io.edgeplug.model.rules.Step;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the settings that a PF has for a VF. {@code [class.prepare.vf]} and {@code [[vfs]]} have the same keys for
 * them.
 */
final class VfSettingsReader {

    static final int MAX_VLAN = 4094;

    private static final Set<String> LINK_STATES = Set.of("auto", "enable", "disable");

    private VfSettingsReader() {}

    /** All settings but the MAC address. */
    static Step.Vf read(Table table) {
        Step.Vf vf = new Step.Vf(
                Optional.empty(),
                table.integer("vlan", 0, MAX_VLAN),
                table.bool("trust"),
                table.bool("spoof_check"),
                table.integer("min_tx_rate", 0, Integer.MAX_VALUE),
                table.integer("max_tx_rate", 0, Integer.MAX_VALUE),
                linkState(table));
        int max = vf.maxRate().orElse(0);
        if (max > 0 && vf.minRate().orElse(0) > max) {
            table.mistake("min_tx_rate", "is more than max_tx_rate");
        }
        return vf;
    }

    private static Optional<String> linkState(Table table) {
        Optional<String> text = table.string("link_state");
        Optional<String> state = text.filter(LINK_STATES::contains);
        if (text.isPresent() && state.isEmpty()) {
            table.mistake("link_state", "\"" + text.orElseThrow() + "\" is not auto, enable or disable");
        }
        return state;
    }
}
