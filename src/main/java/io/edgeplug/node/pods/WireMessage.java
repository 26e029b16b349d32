package io.edgeplug.node.pods;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads protobuf messages of a kubelet field by field. What is not needed is skipped without being kept: two bytes of a
 * message may become a hundred in memory.
 */
final class WireMessage {

    /** The limit for names: a namespace has at most 63 characters, a name 253 and a UID 36. */
    private static final int MAX_NAME = 253;

    private WireMessage() {}

    /** Reads the value of a field, or skips it. */
    interface Field {
        void read(int tag) throws IOException;
    }

    static void skip(CodedInputStream message, int tag) throws IOException {
        boolean ignored = message.skipField(tag);
    }

    static void eachField(CodedInputStream message, Field field) throws IOException {
        for (int tag = message.readTag(); tag != 0; tag = message.readTag()) {
            field.read(tag);
        }
    }

    /** Reads the message that is the value of a field. */
    static void nested(CodedInputStream message, Field field) throws IOException {
        int outer = message.pushLimit(length(message));
        eachField(message, field);
        message.popLimit(outer);
    }

    /** The length of the value of a field, which follows. */
    static int length(CodedInputStream message) throws IOException {
        int length = message.readRawVarint32();
        if (length < 0) {
            throw new InvalidProtocolBufferException("a negative length");
        }
        return length;
    }

    /** The text that is the value of a field; empty if it has more bytes. */
    static Optional<String> text(CodedInputStream message, int most) throws IOException {
        int length = length(message);
        if (length > most) {
            message.skipRawBytes(length);
            return Optional.empty();
        }
        return Optional.of(new String(message.readRawBytes(length), StandardCharsets.UTF_8));
    }

    /** The name of a pod or of a part of it. */
    static String name(CodedInputStream message) throws IOException {
        return text(message, MAX_NAME).orElseThrow(() -> new TooLargeException("has a pod whose name is too long"));
    }
}
