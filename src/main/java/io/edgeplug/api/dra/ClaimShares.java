package io.edgeplug.api.dra;

import io.edgeplug.model.device.Shares;
import io.edgeplug.node.pods.PreparedClaim;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Chooses the shares of a claim. The cluster only counts the shares of a device, but on the node each has an ID and one
 * holder. For one claim, while no other chooses.
 */
final class ClaimShares {

    /** The devices of this claim, as far as it was noted before. */
    private final List<PreparedClaim.Device> before;

    /** By the ID of a share or of a whole device, the claim that has it. */
    private final Map<String, PreparedClaim> others = new HashMap<>();

    /** The shares that this claim has chosen or had before. */
    private final Set<String> own = new HashSet<>();

    /**
     * The shares for a claim.
     *
     * @param uid of the claim
     * @param claims all that are noted
     */
    ClaimShares(String uid, List<PreparedClaim> claims) {
        this.before = claims.stream()
                .filter(claim -> claim.uid().equals(uid))
                .flatMap(claim -> claim.devices().stream())
                .toList();
        before.forEach(device -> own.add(device.id()));
        for (PreparedClaim claim : claims) {
            if (!claim.uid().equals(uid)) {
                claim.devices().stream()
                        .filter(device -> !device.isForAdministrator())
                        .forEach(device -> others.put(device.id(), claim));
            }
        }
    }

    /**
     * The same devices, each with its shares.
     *
     * @throws IOException if a device has too few left; the message is a clause
     */
    List<GivenDevice> choose(List<GivenDevice> found) throws IOException {
        List<GivenDevice> chosen = new ArrayList<>();
        for (GivenDevice one : found) {
            chosen.add(one.resource().deviceClass().sharing().isShared() ? choose(one) : one);
        }
        return chosen;
    }

    private GivenDevice choose(GivenDevice one) throws IOException {
        int listed = one.resource().supply().current().shares();
        List<String> all = one.resource().shares().ids(one.device(), listed);
        if (one.result().isForAdministrator()) {
            // Whoever only looks at a device takes no share of it, and any names it.
            return one.with(List.of(all.getFirst()));
        }
        List<String> noted = before.stream()
                .filter(device -> device.name().equals(one.result().device())
                        && device.request().equals(one.result().request())
                        && device.share().equals(one.result().share()))
                .map(PreparedClaim.Device::id)
                .toList();
        if (!noted.isEmpty()) {
            return one.with(noted);
        }
        if (one.ids().stream().anyMatch(others::containsKey)) {
            // It is refused with the name of the other claim when it is noted.
            return one;
        }
        List<String> free = one.ids().isEmpty() ? free(one, all) : one.ids();
        int wanted = one.ids().isEmpty() ? one.result().shares() : 1;
        int left = Math.clamp(listed - taken(one.device()), 0, free.size());
        if (left < wanted) {
            throw new IOException("its device %s has %d of %d shares left, and the claim needs %d%s"
                    .formatted(one.device(), left, listed, wanted, holders(one.device())));
        }
        List<String> shares = free.subList(0, wanted);
        own.addAll(shares);
        return one.with(shares);
    }

    private List<String> free(GivenDevice one, List<String> all) {
        return others.containsKey(one.device())
                ? List.of()
                : all.stream()
                        .filter(id -> !others.containsKey(id) && !own.contains(id))
                        .toList();
    }

    /** How many of its shares claims have, also those that it has no more since its class has fewer. */
    private int taken(String device) {
        return (int) Stream.of(others.keySet(), own)
                .flatMap(Set::stream)
                .filter(id -> Shares.whole(id).equals(device))
                .count();
    }

    private String holders(String device) {
        List<String> claims = others.entrySet().stream()
                .filter(one -> Shares.whole(one.getKey()).equals(device))
                .map(one -> one.getValue().toString())
                .distinct()
                .sorted()
                .toList();
        return claims.isEmpty() ? "" : "; the rest is held by " + String.join(", ", claims);
    }
}
