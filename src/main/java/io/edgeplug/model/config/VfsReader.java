package io.edgeplug.model.config;

import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.VfAddresses;
import io.edgeplug.model.rules.VfRange;
import io.edgeplug.model.rules.WantedVfs;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Makes the wanted VFs of a {@code [[vfs]]} table.
 *
 * @param kept the functions that the node keeps
 */
record VfsReader(Mistakes mistakes, KeptFunctions kept) {

    /** The keys of classes that can select a PF before it has any VFs. */
    private static final Set<SelectorWord> WORDS = EnumSet.of(
            SelectorWord.VENDORS,
            SelectorWord.DEVICES,
            SelectorWord.PCI_ADDRESSES,
            SelectorWord.PF_NAMES,
            SelectorWord.ROOT_DEVICES,
            SelectorWord.DRIVERS);

    /** {@code TotalVFs} of the SR-IOV capability has 16 bits. */
    private static final int MAX_COUNT = 0xffff;

    /** A smaller MTU cannot carry IPv4. A larger one does not fit into an IPv4 packet. */
    private static final int MIN_MTU = 68;

    private static final int MAX_MTU = 0xffff;

    private static final Pattern GUID = Pattern.compile("[0-9a-f]{2}(:[0-9a-f]{2}){7}");

    /** Reads one entry; empty if it has mistakes. */
    Optional<WantedVfs> read(Table table) {
        int before = mistakes.count();
        BitSet vfs = new BitSet();
        Optional<Selector> match = match(table, vfs);
        OptionalInt count = table.integer("count", 0, MAX_COUNT);
        if (count.isPresent() && vfs.length() > count.getAsInt()) {
            table.mistake("count", "is " + count.getAsInt() + ", so there is no VF " + (vfs.length() - 1));
        }
        if (!table.has("count")) {
            table.mistake("count", "missing: say how many VFs each PF is to have");
        }
        Optional<String> driver = driver(table);
        int least = count.orElse(0);
        VfAddresses mac = addresses(table, "mac", Step.Vf.STATION, "a station's address, as 02:00:00:00:10:00", least);
        VfAddresses guid = addresses(table, "guid", GUID, "a GUID of 8 bytes, as 02:00:00:00:00:00:10:00", least);
        Step.Vf settings = VfSettingsReader.read(table);
        OptionalInt mtu = table.integer("mtu", MIN_MTU, MAX_MTU);
        Optional<WantedVfs.EswitchMode> eswitch = Words.oneOf(table, "eswitch", WantedVfs.EswitchMode.class);
        Optional<WantedVfs.RdmaNetns> rdmaNetns = Words.oneOf(table, "rdma_netns", WantedVfs.RdmaNetns.class);
        // Unknown keys of [vfs.match] are reported later.
        if (mistakes.count() > before || match.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new WantedVfs(
                table.place(),
                match.orElseThrow(),
                count.orElseThrow(),
                vfs,
                driver,
                mac,
                guid,
                settings,
                mtu,
                eswitch,
                rdmaNetns,
                kept));
    }

    /**
     * The condition for the PF.
     *
     * @param vfs gets the numbers of the VFs that are named after #
     */
    private Optional<Selector> match(Table table, BitSet vfs) {
        Optional<Table> match = table.table("match");
        if (match.isEmpty() || match.orElseThrow().keys().isEmpty()) {
            table.mistake("match", "missing: say in [vfs.match] which PFs get the VFs");
            return Optional.empty();
        }
        int before = mistakes.count();
        Map<SelectorWord, List<String>> values = new EnumMap<>(SelectorWord.class);
        Set<BitSet> named = new HashSet<>();
        for (SelectorWord word : WORDS) {
            List<String> pfs = new ArrayList<>();
            for (String text : match.orElseThrow().strings(word.word())) {
                Optional<String> problem = word.problem(text);
                problem.ifPresent(one -> match.orElseThrow().mistake(word.word(), "\"" + text + "\" " + one));
                if (problem.isEmpty() && namesVfs(word)) {
                    named.add(VfRange.numbersOf(text));
                }
                pfs.add(namesVfs(word) ? VfRange.pf(text) : text);
            }
            if (!pfs.isEmpty()) {
                values.put(word, pfs);
            }
        }
        if (named.size() > 1) {
            table.mistake("match", "names different VFs of its PFs after #: write an entry for each");
        }
        named.forEach(vfs::or);
        return mistakes.count() > before || values.isEmpty() ? Optional.empty() : Optional.of(new Selector(values));
    }

    private static boolean namesVfs(SelectorWord word) {
        return word == SelectorWord.PF_NAMES || word == SelectorWord.ROOT_DEVICES;
    }

    private static Optional<String> driver(Table table) {
        return table.string("driver")
                .filter(name -> !name.equals("default"))
                .flatMap(name ->
                        Words.matching(table, "driver", name, RecipeReader.DRIVER, "a name of a driver, as vfio-pci"));
    }

    /** A word, the address of the first VF, or an array with one for each. */
    private static VfAddresses addresses(Table table, String key, Pattern form, String example, int count) {
        if (!table.has(key) || table.has(key, String.class)) {
            return table.string(key)
                    .map(text -> switch (text) {
                        case "keep" -> VfAddresses.KEEP;
                        case "fixed" -> VfAddresses.FIXED;
                        default -> {
                            String lower = text.toLowerCase(Locale.ROOT);
                            if (!form.matcher(lower).matches()) {
                                table.mistake(key, "\"" + text + "\" is not keep, fixed or " + example);
                            }
                            yield new VfAddresses(VfAddresses.Source.BASE, List.of(lower));
                        }
                    })
                    .orElse(VfAddresses.KEEP);
        }
        if (!table.has(key, List.class)) {
            table.mistakeOfType(key, "a string in quotes, or an array of strings");
            return VfAddresses.KEEP;
        }
        List<String> texts = table.strings(key).stream()
                .map(text -> text.toLowerCase(Locale.ROOT))
                .toList();
        Set<String> seen = new HashSet<>();
        for (String text : texts) {
            if (!form.matcher(text).matches()) {
                table.mistake(key, "\"" + text + "\" is not " + example);
            } else if (!seen.add(text)) {
                table.mistake(key, "has \"" + text + "\" twice");
            }
        }
        if (texts.size() < count) {
            table.mistake(key, "has " + texts.size() + " of the " + count + " that count asks for");
        }
        return new VfAddresses(VfAddresses.Source.LIST, texts);
    }
}
