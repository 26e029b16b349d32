package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** Tests on a node that prepares devices before pods are bound, in a cluster that allows it. */
abstract class OnEarlyNode extends OnDraNode {

    static final String CLASSES =
            DraNode.CLASSES.replace("[class.match]", "prepare_before = \"binding\"\n[class.match]");

    @Override
    String classes() {
        return CLASSES;
    }

    @Override
    void prepareServer(ApiObjects server) {
        server.claims.rights.addAll(ClaimObjects.ROLE);
    }

    /** From then on the scheduler waits until the devices of a claim are ready. */
    @BeforeEach
    final void publish() throws Exception {
        List<JsonObject> ignored = node.server.await(slices -> slices.toString().contains("bindingConditions"));
    }
}
