package io.edgeplug.api.dra;

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
}
