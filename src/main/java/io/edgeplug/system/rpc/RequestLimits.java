package io.edgeplug.system.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that are larger than those of any kubelet before it decodes them. Requests that take long get a
 * thread of their own, so that they do not block the event loop. {@link CallMemory} counts what they take meanwhile.
 *
 * <p>Two bytes of a request may become a hundred in memory. So its fields are counted, with those of its parts, which are
 * containers or claims. The parts themselves have no parts.
 */
final class RequestLimits implements ServerInterceptor {

    /** A kubelet asks for one container at a time, and for the few claims of one pod. */
    private static final int MAX_PARTS = 256;

    /**
     * A kubelet's list of one resource has room for 32,768 IDs of 128 bytes. Each may be available, and each may be
     * required.
     */
    private static final int MAX_FIELDS = 2 * 32_768 + 1024;

    /** The fields of kubelets have numbers below 20. An unknown one of each number takes as much as many others. */
    private static final int MAX_NUMBER = 64;

    private static final int COST_OF_UNKNOWN = 1000;

    /** An Allocate of a few dozen devices, which the event loop answers itself. */
    private static final int SMALL = 4096;

    /** What a decoded field takes, at most: a short string, and its place in a list. */
    private static final int MEMORY_OF_FIELD = 60;

    private static final String PREFERENCE = "v1beta1.DevicePlugin/GetPreferredAllocation";

    /** The ends of methods whose requests have parts. */
    private static final List<String> WITH_PARTS = List.of(
            PREFERENCE,
            "v1beta1.DevicePlugin/Allocate",
            ".DRAPlugin/NodePrepareResources",
            ".DRAPlugin/NodeUnprepareResources");

    private RequestLimits() {}

    static ServerServiceDefinition on(ServerServiceDefinition service) {
        return ServerInterceptors.intercept(
                ServerInterceptors.useMarshalledMessages(service, new Unread()), new RequestLimits());
    }

    /**
     * Passes messages as bytes. gRPC's own interceptor for that buffers each of them again, which takes 37 KB of the
     * heap in each call.
     */
    static final class Unread implements MethodDescriptor.Marshaller<InputStream> {

        @Override
        public InputStream stream(InputStream message) {
            return message;
        }

        @Override
        public InputStream parse(InputStream message) {
            return message;
        }
    }

    /** A request as a stream with a known length. Without the length, gRPC does not know how much to read at a time. */
    private static final class Whole extends ByteArrayInputStream implements KnownLength {

        Whole(byte[] request) {
            super(request);
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        CallMemory.Call memory = CallMemory.ofThisCall();
        ServerCall<Q, A> answering = new SimpleForwardingServerCall<>(call) {
            @Override
            public void close(Status status, Metadata trailers) {
                try {
                    super.close(status, trailers);
                } finally {
                    memory.endAnswer();
                }
            }
        };
        return new Limited<>(answering, memory, next.startCall(answering, headers));
    }

    /** A request is refused. */
    private static final class TooMuchException extends IOException {

        private static final long serialVersionUID = 1;

        TooMuchException(String message) {
            super(message);
        }
    }

    /** Keeps the bytes of a request until it is complete. */
    private static final class Limited<Q, A> extends SimpleForwardingServerCallListener<Q> {

        private final ServerCall<Q, A> call;
        private final CallMemory.Call memory;
        private final String method;
        private byte @Nullable [] request;
        private int fields;

        Limited(ServerCall<Q, A> call, CallMemory.Call memory, ServerCall.Listener<Q> service) {
            super(service);
            this.call = call;
            this.memory = memory;
            this.method = call.getMethodDescriptor().getFullMethodName();
        }

        @Override
        public void onMessage(Q message) {
            try (InputStream bytes = (InputStream) message) {
                // gRPC has received all of it, and knows the length.
                request = bytes.readNBytes(bytes.available());
            } catch (IOException e) {
                throw new IllegalStateException("a message that is here cannot be read", e);
            }
        }

        @Override
        public void onHalfClose() {
            byte[] bytes = request;
            if (bytes == null) {
                super.onHalfClose();
                return;
            }
            request = null;
            // A stream ends without an answer of its service, and has nothing in its request.
            if (call.getMethodDescriptor().getType().serverSendsOneMessage() && !memory.beginAnswer()) {
                refuse(Status.RESOURCE_EXHAUSTED.withDescription(
                        "too many other calls of " + method + " are being answered"));
                return;
            }
            // Choosing among a few dozen devices takes a while too.
            if (bytes.length <= SMALL && !method.equals(PREFERENCE)) {
                answer(bytes);
            } else {
                Runnable answering = Context.current().wrap(() -> answer(bytes));
                Thread.ofVirtual().name(method).start(answering);
            }
        }

        @SuppressWarnings("unchecked") // all messages are streams here
        private void answer(byte[] bytes) {
            Optional<String> refusal = refusal(bytes);
            if (refusal.isPresent()) {
                refuse(Status.RESOURCE_EXHAUSTED.withDescription(refusal.orElseThrow()));
                return;
            }
            // The bytes were counted once as they came.
            if (!memory.take(bytes.length + MEMORY_OF_FIELD * fields)) {
                refuse(Status.RESOURCE_EXHAUSTED.withDescription("other large requests are being answered"));
                return;
            }
            try {
                super.onMessage((Q) new Whole(bytes));
            } catch (StatusRuntimeException e) {
                // The bytes are no message of this type.
                refuse(e.getStatus());
                return;
            }
            give();
        }

        /** Has the service answer, which may take longer than this. */
        private void give() {
            boolean isGiven = false;
            try {
                super.onHalfClose();
                isGiven = true;
            } finally {
                if (!isGiven) {
                    memory.endAnswer();
                }
            }
        }

        private void refuse(Status why) {
            call.close(why, new Metadata());
        }

        /** Why a request is refused without being decoded. */
        private Optional<String> refusal(byte[] bytes) {
            try {
                count(CodedInputStream.newInstance(bytes), WITH_PARTS.stream().anyMatch(method::endsWith));
                return Optional.empty();
            } catch (TooMuchException e) {
                return Optional.ofNullable(e.getMessage());
            } catch (IOException e) {
                // Decoding the message will report the mistake, at the same place.
                return Optional.empty();
            }
        }

        private void count(CodedInputStream message, boolean hasParts) throws IOException {
            int parts = 0;
            for (int tag = message.readTag(); tag != 0; tag = message.readTag()) {
                fields += cost(tag);
                boolean isPart = hasParts && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
                parts += isPart ? 1 : 0;
                if (fields > MAX_FIELDS) {
                    throw new TooMuchException("the request has more than " + MAX_FIELDS + " fields");
                }
                if (parts > MAX_PARTS) {
                    throw new TooMuchException("the request is for more than " + MAX_PARTS + " containers or claims");
                }
                if (isPart) {
                    int outer = message.pushLimit(message.readRawVarint32());
                    count(message, false);
                    message.popLimit(outer);
                } else {
                    boolean ignored = message.skipField(tag);
                }
            }
        }

        /** No kubelet writes groups, whose fields would be skipped with them. */
        private static int cost(int tag) {
            if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_START_GROUP) {
                return MAX_FIELDS + 1;
            }
            return WireFormat.getTagFieldNumber(tag) > MAX_NUMBER ? COST_OF_UNKNOWN : 1;
        }
    }
}
