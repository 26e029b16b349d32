package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.Api;
import io.edgeplug.model.rules.ClaimRules;
import io.edgeplug.model.rules.ContainerRules;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.FileRules;
import io.edgeplug.model.rules.HealthRule;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Placement;
import io.edgeplug.model.rules.Preference;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.programs.ProgramLimits;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes a device class of one {@code [[class]]} table.
 *
 * @param kept the functions that the node keeps
 */
record ClassReader(Mistakes mistakes, KeptFunctions kept) {

    /** The kubelet's bit masks have no room for more. */
    private static final int MAX_NUMA_NODE = 63;

    /** A device is held as only one of its faces at a time. */
    private static final String EXCLUSIVE = "exclusive";

    /** Keys of PCI functions, and those that say the same of USB devices. */
    private static final Map<SelectorWord, SelectorWord> OF_USB = Map.of(
            SelectorWord.DEVICES, SelectorWord.PRODUCTS,
            SelectorWord.CLASSES, SelectorWord.INTERFACE_CLASSES,
            SelectorWord.PCI_ADDRESSES, SelectorWord.PORTS);

    private static final Pattern MEMORY = Pattern.compile("[1-9]\\d{0,5}[MG]");
    private static final Pattern CPU = Pattern.compile("[1-9]\\d{0,5}%");

    /** The kernel's own limit. */
    private static final int MAX_TASKS = 4 << 20;

    /** Reads one class; empty if it has mistakes. */
    Optional<DeviceClass> read(Table table) {
        int before = mistakes.count();
        ResourceName resource = resource(table).orElse(null);
        Kind kind = Words.oneOf(table.requiring("kind"), "kind", Kind.class).orElse(null);
        ContainerRules container = new ContainerReader(table, kind).read(resource);
        Placement placement = placement(table);
        Sharing sharing = sharing(table);
        FilesReader files = new FilesReader(table, kind);
        List<PathGroup> groups = files.groups();
        boolean needsVhostNet = table.bool("need_vhost_net").orElse(false);
        Care care = care(table, kind, sharing);
        Recipe recipe = care.recipe();
        boolean isFace = isFace(table, sharing, care.health());
        List<Selector> selectors = selectors(table, kind, recipe);
        Optional<String> trustOwner = trustOwner(table, kind, container);
        Api api = new ApiReader(table).read(resource);
        Optional<Step.Interface> moved =
                new InterfaceReader(table, kind).read(container.handOver(), api, sharing, recipe);
        Recipe whole = moved.map(recipe::then).orElse(recipe);
        ClaimRules claims = claims(table, kind, api, whole);
        FileRules.Identity identity = files.identity(isFace);
        if (mistakes.count() > before || resource == null || kind == null) {
            return Optional.empty();
        }
        return Optional.of(new DeviceClass(
                resource,
                kind,
                selectors,
                groups,
                container,
                placement,
                sharing,
                needsVhostNet,
                care.health(),
                whole,
                care.release().after(claims.choices().restored(recipe.vf())),
                isFace,
                trustOwner,
                api,
                claims,
                identity));
    }

    private static Optional<ResourceName> resource(Table table) {
        return table.required("resource").flatMap(text -> Words.resource(table, "resource", text));
    }

    /** What is done to a device, and with which programs. */
    private record Care(HealthRule health, Recipe recipe, Recipe release) {

        boolean runsPrograms() {
            return !health.command().isEmpty() || recipe.runsPrograms() || release.runsPrograms();
        }
    }

    private Care care(Table table, @Nullable Kind kind, Sharing sharing) {
        ProgramLimits limits = limits(table);
        Care care = new Care(
                HealthReader.read(table, kind, limits),
                new RecipeReader(kind, limits, kept).read(table, RecipeReader.PREPARE),
                new RecipeReader(kind, limits, kept.sparingAddresses()).read(table, RecipeReader.RELEASE));
        if (!limits.equals(ProgramLimits.NONE) && !care.runsPrograms()) {
            table.mistake(
                    "limits",
                    "is about the programs of [class.prepare], [class.release] and [class.health], and there is none");
        }
        if (sharing.isShared() && !care.recipe().isEmpty()) {
            table.mistake("prepare", "would prepare a device that has shares while others use it");
        }
        return care;
    }

    private static Optional<String> trustOwner(Table table, @Nullable Kind kind, ContainerRules container) {
        Optional<String> trustOwner = table.string("trust_owner");
        boolean hasNoPath =
                kind != null && kind != Kind.PATH && container.mounts().isEmpty();
        if (trustOwner.isPresent() && hasNoPath) {
            table.mistake("trust_owner", "is about paths, but the class has none");
        }
        return trustOwner;
    }

    private static ClaimRules claims(Table table, @Nullable Kind kind, Api api, Recipe recipe) {
        boolean isPreparedBeforeBinding = new ApiReader(table).isPreparedBeforeBinding(api, recipe);
        boolean evict = table.bool("evict").orElse(false);
        if (evict && api != Api.DRA) {
            table.mistake("evict", "needs api = \"dra\": a device plugin cannot have a pod evicted");
        }
        return new ClaimRules(ClaimChoicesReader.read(table, kind, api, recipe), evict, isPreparedBeforeBinding);
    }

    /**
     * The first words of a class's mistakes: its number in its file, counted from 0 here, and its resource if there is
     * one.
     */
    static String label(int number, Map<String, ?> values) {
        return "class " + (number + 1) + (values.get("resource") instanceof String text ? " (" + text + ")" : "")
                + ": ";
    }

    private static Placement placement(Table table) {
        Optional<Preference> preference = Words.oneOf(table, "prefer", Preference.class);
        boolean excludeTopology = table.bool("exclude_topology").orElse(false);
        List<Integer> numaNodes = table.integers("numa_nodes", 0, MAX_NUMA_NODE);
        if (excludeTopology && table.has("numa_nodes")) {
            table.mistake("numa_nodes", "contradicts exclude_topology, which tells the kubelet no NUMA nodes");
        }
        return new Placement(preference.orElse(Preference.PACK), excludeTopology, numaNodes);
    }

    private static Sharing sharing(Table table) {
        int shares = table.integer("shares", 1, Sharing.MAX_SHARES).orElse(1);
        boolean oneOnly = table.bool("fail_requests_greater_than_one").orElse(false);
        if (oneOnly && !table.has("shares")) {
            table.mistake("fail_requests_greater_than_one", "is about shares, but the class has none");
        }
        return new Sharing(shares, oneOnly);
    }

    private static boolean isFace(Table table, Sharing sharing, HealthRule health) {
        Optional<String> word = table.string("faces");
        if (word.filter(text -> !text.equals(EXCLUSIVE)).isPresent()) {
            table.mistake("faces", "\"" + word.orElseThrow() + "\" is not " + EXCLUSIVE);
        }
        if (word.isPresent() && sharing.isShared()) {
            table.mistake("faces", "contradicts shares: a device is one pod's as one of its faces");
        }
        if (word.isPresent() && !health.command().isEmpty()) {
            table.mistake(
                    "faces",
                    "contradicts the command of [class.health], which would run once for each face of a device");
        }
        return word.isPresent();
    }

    private static ProgramLimits limits(Table table) {
        Optional<Table> found = table.table("limits");
        if (found.isEmpty()) {
            return ProgramLimits.NONE;
        }
        Table limits = found.orElseThrow();
        return new ProgramLimits(
                limits.string("memory_max")
                        .flatMap(text -> amount(limits, "memory_max", text, MEMORY, "\"512M\" or \"2G\"")),
                limits.string("cpu_quota")
                        .flatMap(text -> amount(limits, "cpu_quota", text, CPU, "\"50%\" or \"200%\"")),
                limits.integer("tasks_max", 1, MAX_TASKS));
    }

    private static Optional<String> amount(Table table, String key, String text, Pattern form, String examples) {
        return Words.matching(table, key, text, form, "an amount like " + examples);
    }

    private List<Selector> selectors(Table table, @Nullable Kind kind, Recipe recipe) {
        if (!table.has("match") && !table.has("groups")) {
            table.mistake("match", "missing: say in [class.match] which devices the class takes");
        }
        List<Selector> selectors = new ArrayList<>();
        for (Table match : table.tables("match")) {
            if (match.keys().isEmpty()) {
                table.mistake("match", "is empty: say which devices the class takes");
            }
            selector(match, kind, recipe).ifPresent(selectors::add);
        }
        return selectors;
    }

    /** The key that says the same of devices of another bus. */
    private static String instead(SelectorWord word, Kind kind) {
        return OF_USB.entrySet().stream()
                .filter(same -> same.getKey() == word || same.getValue() == word)
                .map(same -> same.getKey() == word ? same.getValue() : same.getKey())
                .filter(other -> other.concerns(kind))
                .findFirst()
                .map(other -> ", did you mean " + other.word() + "?")
                .orElse("");
    }

    /** A device stays in the class after the recipe has bound it to another driver. */
    private Optional<Selector> selector(Table match, @Nullable Kind kind, Recipe recipe) {
        int before = mistakes.count();
        Map<SelectorWord, List<String>> values = new EnumMap<>(SelectorWord.class);
        for (SelectorWord word : SelectorWord.values()) {
            List<String> texts = word.isBoolean()
                    ? match.bool(word.word()).map(String::valueOf).stream().toList()
                    : match.strings(word.word());
            if (!texts.isEmpty()) {
                values.put(word, texts);
            }
            if (match.has(word.word()) && kind != null && !word.concerns(kind)) {
                match.mistake(word.word(), "does not apply to kind " + kind.word() + instead(word, kind));
            }
            for (String text : texts) {
                word.problem(text).ifPresent(problem -> match.mistake(word.word(), "\"" + text + "\" " + problem));
            }
        }
        if (values.containsKey(SelectorWord.VDPA_TYPE)
                && values.getOrDefault(SelectorWord.IS_RDMA, List.of()).contains("true")) {
            match.mistake("vdpa_type", "takes no device that is_rdma does: a vDPA device is used instead of RDMA");
        }
        values.computeIfPresent(
                SelectorWord.DRIVERS,
                (drivers, texts) -> Stream.concat(texts.stream(), recipe.driver().stream())
                        .distinct()
                        .toList());
        return mistakes.count() > before ? Optional.empty() : Optional.of(new Selector(values));
    }
}
