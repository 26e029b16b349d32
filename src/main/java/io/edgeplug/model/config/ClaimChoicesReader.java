package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.rules.Api;
import io.edgeplug.model.rules.ClaimChoices;
import io.edgeplug.model.rules.Image;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.kernel.LinkAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the choices of claims: the {@code [class.claims]} table of a class. */
final class ClaimChoicesReader {

    private static final String VLANS = "vlans";
    private static final String MAC = "mac";
    private static final String MAX_RATE = "max_tx_rate";
    private static final String IMAGES = "images";
    private static final String INTERFACE_NAME = "interface_name";
    private static final String NETWORKS = "networks";

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private ClaimChoicesReader() {}

    static ClaimChoices read(Table classTable, @Nullable Kind kind, Api api, Recipe recipe) {
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
        List<Image> images = images(table);
        for (String key : List.of(VLANS, MAC, MAX_RATE)) {
            Words.concerns(table, key, kind, Set.of(Kind.VF));
        }
        Words.concerns(table, IMAGES, kind, RecipeReader.PROGRAMMABLE);
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
        if (!images.isEmpty() && programs(recipe) != 1) {
            table.mistake(IMAGES, "needs one [class.prepare.program], whose image claims get that choose nothing else");
        }
        boolean name = table.bool(INTERFACE_NAME).orElse(false);
        List<LinkAddress> networks = networks(table);
        for (String key : List.of(INTERFACE_NAME, NETWORKS)) {
            Words.concerns(table, key, kind, InterfaceReader.KINDS);
            if (table.has(key) && recipe.movedInterface().isEmpty()) {
                table.mistake(key, "needs [class.interface], which gives interfaces to pods");
            }
        }
        return new ClaimChoices(vlans, mac, maxRate, images, name, networks);
    }

    private static long programs(Recipe recipe) {
        return recipe.steps().stream()
                .filter(step -> step instanceof Step.Program)
                .count();
    }

    private static List<LinkAddress> networks(Table table) {
        List<LinkAddress> networks = new ArrayList<>();
        for (String text : table.strings(NETWORKS)) {
            LinkAddress.parse(text)
                    .filter(LinkAddress::isNetwork)
                    .ifPresentOrElse(
                            networks::add,
                            () -> table.mistake(
                                    NETWORKS,
                                    "\"" + text + "\" is not a network with its prefix, as 192.0.2.0/24 or"
                                            + " 2001:db8::/64"));
        }
        return networks;
    }

    private static List<Image> images(Table table) {
        List<Image> images = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Table one : table.tables(IMAGES)) {
            Optional<String> name = one.required("name")
                    .flatMap(text -> Words.matching(
                            one, "name", text, NAME, "a name of lower case letters, digits and dashes, as codec"));
            if (name.isPresent() && !names.add(name.orElseThrow())) {
                one.mistake("name", "\"" + name.orElseThrow() + "\" is the name of two images");
            }
            Optional<String> file = RecipeReader.file(one);
            Optional<String> sha256 = RecipeReader.sha256(one);
            Optional<String> id = RecipeReader.id(one);
            if (name.isPresent() && file.isPresent() && sha256.isPresent()) {
                images.add(new Image(name.orElseThrow(), file.orElseThrow(), sha256.orElseThrow(), id));
            }
        }
        return images;
    }

    private static void need(
            Table table, String key, boolean isAllowed, String setting, Recipe recipe, Predicate<Step.Vf> isSaid) {
        boolean hasDefault = recipe.steps().stream().anyMatch(step -> step instanceof Step.Vf vf && isSaid.test(vf));
        if (isAllowed && !hasDefault) {
            table.mistake(key, "needs " + setting + " in [class.prepare.vf], for claims that do not choose");
        }
    }
}
