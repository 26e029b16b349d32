package io.edgeplug.api.kubelet;

/** A scene that ends in a refusal, and the sentence that it is refused with. */
record Refusal(String name, Scene scene, String sentence) {

    /** Does something to a node, and asks it for a device. */
    interface Scene {
        void play(RefusalStage stage) throws Exception;
    }

    @Override
    public String toString() {
        return name;
    }
}
