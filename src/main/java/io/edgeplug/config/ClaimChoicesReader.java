package io.edgeplug.config;

import io.edgeplug.device.Kind;
import io.edgeplug.rules.Api;
import io.edgeplug.rules.ClaimChoices;
import io.edgeplug.rules.Recipe;
import io.edgeplug.rules.Step;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** Reads the choices of claims: the {@code [class.claims]} table of a class. */
final class ClaimChoicesReader {

    private static final String VLANS = "vlans";
    private static final String MAC = "mac";
    private static final String MAX_RATE = "max_tx_rate";

    private ClaimChoicesReader() {}

    static ClaimChoices read(Table classTable, Optional<Kind> kind, Api api, Recipe recipe) {
        Optional<Table> found = classTable.table("claims");
        if (found.isEmpty()) {
            return ClaimChoices.NONE;
        }
        Table table = found.orElseThrow();
        if (api != Api.DRA) {
            classTable.mistake("claims", "needs api = \"dra\": there are no claims with a device plugin");
        }
        List<Integer> vlans = table.integers(VLANS, 0, VfSettingsReader.MAX_VLAN);
        boolean mac = table.bool(MAC).orElse(false);
        OptionalInt maxRate = table.integer(MAX_RATE, 1, Integer.MAX_VALUE);
        for (String key : List.of(VLANS, MAC, MAX_RATE)) {
            if (table.has(key) && kind.filter(one -> one != Kind.VF).isPresent()) {
                table.mistake(
                        key, "does not apply to kind " + kind.orElseThrow().word());
            }
        }
        // Otherwise a claim that chooses nothing would get the choice of the claim before it.
        need(table, VLANS, !vlans.isEmpty(), "vlan", recipe, vf -> vf.vlan().isPresent());
        need(table, MAC, mac, "mac", recipe, vf -> vf.mac().isPresent());
        need(
                table,
                MAX_RATE,
                maxRate.isPresent(),
                "max_tx_rate",
                recipe,
                vf -> vf.maxRate().isPresent());
        return new ClaimChoices(vlans, mac, maxRate);
    }

    private static void need(
            Table table, String key, boolean isAllowed, String setting, Recipe recipe, Predicate<Step.Vf> isSaid) {
        boolean hasDefault = recipe.steps().stream().anyMatch(step -> step instanceof Step.Vf vf && isSaid.test(vf));
        if (isAllowed && !hasDefault) {
            table.mistake(
                    key, "needs " + setting + " in [class.prepare.vf], which claims get that choose nothing else");
        }
    }
}
