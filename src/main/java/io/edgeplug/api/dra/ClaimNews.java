package io.edgeplug.api.dra;

import java.util.List;

/**
 * What is new of claims on the API server.
 *
 * @param claims as they are now; one without devices has none of this node any more
 * @param areAll whether no other claim is known to have devices of this node
 */
record ClaimNews(List<AllocatedClaim> claims, boolean areAll) {

    /** No claim is known. */
    static final ClaimNews NONE = new ClaimNews(List.of(), true);

    ClaimNews {
        claims = List.copyOf(claims);
    }

    /** Of one claim. */
    static ClaimNews of(AllocatedClaim claim) {
        return new ClaimNews(List.of(claim), false);
    }
}
