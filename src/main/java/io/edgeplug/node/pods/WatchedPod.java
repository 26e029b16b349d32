package io.edgeplug.node.pods;

import com.google.protobuf.CodedInputStream;
import io.edgeplug.proto.pods.EventType;
import io.edgeplug.proto.pods.ObjectMeta;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * One message of the kubelet's Pods API. Other parts of a pod are not read.
 *
 * @param hasEnded whether the pod's phase is final: its containers have ended or are being ended, and are not started
 *     again
 */
record WatchedPod(EventType type, ObjectMeta metadata, boolean hasEnded) {

    private static final int MAX_METADATA_BYTES = 1 << 20;

    private static final int MAX_PHASE_BYTES = 64;
    private static final Set<String> FINAL_PHASES = Set.of("Succeeded", "Failed");

    private static final int TYPE = 1 << 3;
    private static final int POD = (2 << 3) | 2;
    private static final int METADATA = (1 << 3) | 2;
    private static final int STATUS = (3 << 3) | 2;
    private static final int PHASE = (1 << 3) | 2;

    /** Reads a WatchPodsEvent. */
    static WatchedPod read(CodedInputStream event) throws IOException {
        EventType type = EventType.UNSPECIFIED;
        ObjectMeta metadata = ObjectMeta.getDefaultInstance();
        boolean hasEnded = false;
        int tag = event.readTag();
        while (tag != 0) {
            switch (tag) {
                case TYPE -> type = type(event.readEnum());
                case POD -> {
                    int outer = event.pushLimit(event.readRawVarint32());
                    WatchedPod pod = readPod(event);
                    metadata = pod.metadata();
                    hasEnded = pod.hasEnded();
                    event.popLimit(outer);
                }
                default -> event.skipField(tag);
            }
            tag = event.readTag();
        }
        return new WatchedPod(type, metadata, hasEnded);
    }

    private static EventType type(int number) {
        EventType type = EventType.forNumber(number);
        return type == null ? EventType.UNSPECIFIED : type;
    }

    private static WatchedPod readPod(CodedInputStream pod) throws IOException {
        ObjectMeta metadata = ObjectMeta.getDefaultInstance();
        String phase = "";
        int tag = pod.readTag();
        while (tag != 0) {
            switch (tag) {
                case METADATA -> metadata = readMetadata(pod);
                case STATUS -> {
                    int outer = pod.pushLimit(pod.readRawVarint32());
                    phase = readPhase(pod);
                    pod.popLimit(outer);
                }
                default -> pod.skipField(tag);
            }
            tag = pod.readTag();
        }
        return new WatchedPod(EventType.UNSPECIFIED, metadata, FINAL_PHASES.contains(phase));
    }

    private static ObjectMeta readMetadata(CodedInputStream pod) throws IOException {
        int length = pod.readRawVarint32();
        if (length < 0 || length > MAX_METADATA_BYTES) {
            throw new IOException("has a pod with metadata of " + length + " bytes");
        }
        int outer = pod.pushLimit(length);
        ObjectMeta metadata = ObjectMeta.parseFrom(pod);
        pod.popLimit(outer);
        return metadata;
    }

    private static String readPhase(CodedInputStream status) throws IOException {
        String phase = "";
        int tag = status.readTag();
        while (tag != 0) {
            if (tag == PHASE) {
                int length = status.readRawVarint32();
                if (length < 0 || length > MAX_PHASE_BYTES) {
                    throw new IOException("has a pod with a phase of " + length + " bytes");
                }
                phase = new String(status.readRawBytes(length), StandardCharsets.UTF_8);
            } else {
                status.skipField(tag);
            }
            tag = status.readTag();
        }
        return phase;
    }
}
