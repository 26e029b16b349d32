package io.edgeplug.model.rules;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * What is wanted of one PF: one entry for all of its VFs, or several entries for some of them each. An entry that names
 * no VFs is then for the rest.
 *
 * @param entries in the order of the files
 */
public record VfGroups(List<WantedVfs> entries) {

    public VfGroups {
        entries = List.copyOf(entries);
    }

    /** Why these entries cannot be for one PF; empty if they can. */
    public Optional<String> contradiction() {
        for (int later = 1; later < entries.size(); later++) {
            for (int earlier = 0; earlier < later; earlier++) {
                Optional<String> one = contradiction(entries.get(earlier), entries.get(later));
                if (one.isPresent()) {
                    return one;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<String> contradiction(WantedVfs earlier, WantedVfs later) {
        String both = ": " + earlier.place() + ", and " + later.place();
        boolean namesBoth = !earlier.vfs().isEmpty() && !later.vfs().isEmpty();
        if ((earlier.vfs().isEmpty() && later.vfs().isEmpty())
                || (namesBoth && earlier.vfs().intersects(later.vfs()))) {
            return Optional.of("is taken by two [[vfs]] entries" + both);
        }
        if (earlier.count() != later.count()) {
            return Optional.of("gets " + earlier.count() + " VFs by one [[vfs]] entry and " + later.count()
                    + " by another, which is the number of all VFs in both" + both);
        }
        boolean isSame = agree(earlier.mtu(), later.mtu()) && agree(earlier.eswitch(), later.eswitch());
        return isSame ? Optional.empty() : Optional.of("gets two values of mtu or eswitch" + both);
    }

    private static boolean agree(OptionalInt one, OptionalInt other) {
        return one.isEmpty() || other.isEmpty() || one.equals(other);
    }

    private static <T> boolean agree(Optional<T> one, Optional<T> other) {
        return one.isEmpty() || other.isEmpty() || one.equals(other);
    }

    /** The entry of a VF; empty if none names it. */
    public Optional<WantedVfs> of(int vf) {
        return entries.stream()
                .filter(one -> one.vfs().get(vf))
                .findFirst()
                .or(() -> entries.stream().filter(one -> one.vfs().isEmpty()).findFirst());
    }

    /** The driver of a VF; empty for the one that the kernel chooses. */
    public Optional<String> driver(int vf) {
        return of(vf).flatMap(WantedVfs::driver);
    }

    /** How many VFs the PF has in the end. */
    public int count() {
        return entries.getFirst().count();
    }

    /** Of the PF, which is the highest that a VF can have. */
    public OptionalInt mtu() {
        return entries.stream()
                .map(WantedVfs::mtu)
                .filter(OptionalInt::isPresent)
                .findFirst()
                .orElse(OptionalInt.empty());
    }

    public Optional<WantedVfs.EswitchMode> eswitch() {
        return entries.stream().flatMap(one -> one.eswitch().stream()).findFirst();
    }

    public Optional<WantedVfs.RdmaNetns> rdmaNetns() {
        return entries.stream().flatMap(one -> one.rdmaNetns().stream()).findFirst();
    }

    public KeptFunctions kept() {
        return entries.getFirst().kept();
    }

    /** Whether a setting is made or read through the PF's interface. */
    public boolean needsInterface() {
        return entries.stream().anyMatch(WantedVfs::needsInterface);
    }

    /** Whether an entry derives MAC addresses from that of the PF. */
    public boolean derivesMac() {
        return entries.stream().anyMatch(one -> one.mac().source() == VfAddresses.Source.FIXED);
    }

    /** Whether an entry derives GUIDs from that of the PF. */
    public boolean derivesGuid() {
        return entries.stream().anyMatch(one -> one.guid().source() == VfAddresses.Source.FIXED);
    }

    /** Whether an entry sets MAC addresses. */
    public boolean setsMac() {
        return entries.stream().anyMatch(one -> one.mac().source() != VfAddresses.Source.KEEP);
    }

    /** Whether an entry sets GUIDs. */
    public boolean setsGuid() {
        return entries.stream().anyMatch(one -> one.guid().source() != VfAddresses.Source.KEEP);
    }

    /** What is wanted, and where it is written, for a person. */
    public String text() {
        return entries.stream()
                .map(one -> one.text() + ", by [[vfs]] in " + one.place())
                .collect(Collectors.joining("; "));
    }

    public String place() {
        return entries.stream().map(WantedVfs::place).collect(Collectors.joining("; "));
    }

    /** The VFs of an entry as they are written: {@code 0-3,7}. */
    static String text(BitSet vfs) {
        List<String> ranges = new ArrayList<>();
        for (int from = vfs.nextSetBit(0); from >= 0; from = vfs.nextSetBit(vfs.nextClearBit(from))) {
            int to = vfs.nextClearBit(from) - 1;
            ranges.add(from == to ? String.valueOf(from) : from + "-" + to);
        }
        return String.join(",", ranges);
    }
}
