package io.edgeplug.api.dra;

import java.util.List;

/** Gets the news of claims; each method returns at once. */
interface ClaimListener {

    /** Whether the status of claims may be written from now on. */
    void mayWrite(boolean isAllowed);

    /** All claims with devices of this node. From now on others are reported. */
    void listed(List<AllocatedClaim> all);

    /** A claim as it is now; without devices if it has none of this node any more. */
    void changed(AllocatedClaim claim);

    /** Claims are not followed for a while, and nobody knows which ones the scheduler still waits for. */
    void out();

    /** Claims are not followed from now on. */
    void lost();
}
