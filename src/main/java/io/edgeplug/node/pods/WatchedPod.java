package io.edgeplug.node.pods;

import com.google.protobuf.CodedInputStream;
import io.edgeplug.proto.pods.EventType;
import java.io.IOException;
import java.util.Set;

/** One message of the kubelet's Pods API. Other parts of a pod are not read. For one thread. */
final class WatchedPod {

    private static final int MAX_PHASE_BYTES = 64;
    private static final Set<String> FINAL_PHASES = Set.of("Succeeded", "Failed");

    private static final int TYPE = 1 << 3;
    private static final int POD = (2 << 3) | 2;

    /** Fields of the pod. */
    private static final int METADATA = (1 << 3) | 2;

    private static final int STATUS = (3 << 3) | 2;

    /** Fields of these. */
    private static final int NAME = (1 << 3) | 2;

    private static final int NAMESPACE = (3 << 3) | 2;
    private static final int UID = (5 << 3) | 2;
    private static final int PHASE = (1 << 3) | 2;

    private final CodedInputStream event;
    private EventType type = EventType.UNSPECIFIED;
    private String uid = "";
    private String namespace = "";
    private String name = "";
    private String phase = "";

    private WatchedPod(CodedInputStream event) {
        this.event = event;
    }

    /** Reads a WatchPodsEvent. */
    static WatchedPod read(CodedInputStream event) throws IOException {
        WatchedPod pod = new WatchedPod(event);
        WireMessage.eachField(event, pod::readEvent);
        return pod;
    }

    EventType type() {
        return type;
    }

    String uid() {
        return uid;
    }

    String namespace() {
        return namespace;
    }

    String name() {
        return name;
    }

    /** Whether the pod's phase is final: its containers have ended or are being ended, and are not started again. */
    boolean hasEnded() {
        return FINAL_PHASES.contains(phase);
    }

    private void readEvent(int tag) throws IOException {
        if (tag == TYPE) {
            EventType known = EventType.forNumber(event.readEnum());
            type = known == null ? EventType.UNSPECIFIED : known;
        } else if (tag == POD) {
            WireMessage.nested(event, this::readPod);
        } else {
            WireMessage.skip(event, tag);
        }
    }

    private void readPod(int tag) throws IOException {
        if (tag == METADATA) {
            WireMessage.nested(event, this::readMetadata);
        } else if (tag == STATUS) {
            WireMessage.nested(event, this::readStatus);
        } else {
            WireMessage.skip(event, tag);
        }
    }

    private void readMetadata(int tag) throws IOException {
        if (tag == NAME) {
            name = WireMessage.name(event);
        } else if (tag == NAMESPACE) {
            namespace = WireMessage.name(event);
        } else if (tag == UID) {
            uid = WireMessage.name(event);
        } else {
            WireMessage.skip(event, tag);
        }
    }

    private void readStatus(int tag) throws IOException {
        if (tag == PHASE) {
            phase = WireMessage.text(event, MAX_PHASE_BYTES).orElse("");
        } else {
            WireMessage.skip(event, tag);
        }
    }
}
