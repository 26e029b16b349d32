package io.edgeplug.api.kubelet;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.BindableService;
import io.grpc.Context;
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
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that are larger than those of any kubelet before it decodes them. Requests that take long get a
 * thread of their own, so that they do not block the event loop.
 *
 * <p>In all requests of a device plugin, field 1 is repeated: it is a container, or the ID of a device. All fields of a
 * container are IDs too, except the number of its devices.
 */
final class RequestLimits implements ServerInterceptor {

    /** A kubelet asks for one container at a time. */
    static final int MAX_CONTAINERS = 64;

    /**
     * A kubelet's list of one resource has room for 32,768 IDs of 128 bytes. Each may be available, and each may be
     * required.
     */
    static final int MAX_FIELDS = 2 * 32_768 + 1024;

    /** An Allocate of a few dozen devices, which the event loop answers itself. */
    private static final int SMALL = 4096;

    /**
     * The bytes of larger requests that may be answered at the same time, because the heap holds many times that
     * meanwhile.
     */
    private static final Semaphore LARGE = new Semaphore(UnixRpc.MAX_REQUEST_BYTES);

    private static final String ALLOCATE = DevicePluginGrpc.getAllocateMethod().getFullMethodName();
    private static final String PREFERENCE =
            DevicePluginGrpc.getGetPreferredAllocationMethod().getFullMethodName();

    private RequestLimits() {}

    static ServerServiceDefinition on(BindableService service) {
        return ServerInterceptors.intercept(
                ServerInterceptors.useMarshalledMessages(service.bindService(), new Unread()), new RequestLimits());
    }

    /**
     * Passes messages as bytes. gRPC's own interceptor for that buffers each of them again, which takes 37 KB of the
     * heap in each call.
     */
    private static final class Unread implements MethodDescriptor.Marshaller<InputStream> {

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
        return new Limited<>(call, next.startCall(call, headers));
    }

    /** Keeps the bytes of a request until it is complete. */
    private static final class Limited<Q, A> extends SimpleForwardingServerCallListener<Q> {

        private final ServerCall<Q, A> call;
        private final String method;
        private byte @Nullable [] request;

        Limited(ServerCall<Q, A> call, ServerCall.Listener<Q> service) {
            super(service);
            this.call = call;
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
            // Choosing among a few dozen devices takes a while too.
            if (bytes.length <= SMALL && !method.equals(PREFERENCE)) {
                answer(bytes);
            } else if (LARGE.tryAcquire(bytes.length)) {
                Runnable answering = Context.current().wrap(() -> {
                    try {
                        answer(bytes);
                    } finally {
                        LARGE.release(bytes.length);
                    }
                });
                Thread.ofVirtual().name(method).start(answering);
            } else {
                refuse(Status.RESOURCE_EXHAUSTED.withDescription("other large requests are being answered"));
            }
        }

        @SuppressWarnings("unchecked") // all messages are streams here
        private void answer(byte[] bytes) {
            Optional<String> refusal = refusal(bytes);
            if (refusal.isPresent()) {
                refuse(Status.RESOURCE_EXHAUSTED.withDescription(refusal.orElseThrow()));
                return;
            }
            try {
                super.onMessage((Q) new Whole(bytes));
            } catch (StatusRuntimeException e) {
                // The bytes are no message of this type.
                refuse(e.getStatus());
                return;
            }
            super.onHalfClose();
        }

        private void refuse(Status why) {
            call.close(why, new Metadata());
        }

        /** Why a request is refused without being decoded. */
        private Optional<String> refusal(byte[] bytes) {
            boolean hasContainers = method.equals(PREFERENCE) || method.equals(ALLOCATE);
            try {
                return hasContainers
                        ? refusalOfContainers(bytes)
                        : refusal(fields(CodedInputStream.newInstance(bytes)));
            } catch (IOException e) {
                // Decoding the message will report the mistake.
                return Optional.empty();
            }
        }

        private static Optional<String> refusalOfContainers(byte[] bytes) throws IOException {
            CodedInputStream request = CodedInputStream.newInstance(bytes);
            int containers = 0;
            int fields = 0;
            for (int tag = request.readTag(); tag != 0; tag = request.readTag()) {
                fields++;
                if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                    containers++;
                    int outer = request.pushLimit(request.readRawVarint32());
                    fields += fields(request);
                    request.popLimit(outer);
                } else {
                    boolean ignored = request.skipField(tag);
                }
                if (containers > MAX_CONTAINERS) {
                    return Optional.of("the request is for more than " + MAX_CONTAINERS + " containers");
                }
                if (fields > MAX_FIELDS) {
                    break;
                }
            }
            return refusal(fields);
        }

        private static int fields(CodedInputStream message) throws IOException {
            int fields = 0;
            for (int tag = message.readTag(); tag != 0 && fields <= MAX_FIELDS; tag = message.readTag()) {
                fields++;
                boolean ignored = message.skipField(tag);
            }
            return fields;
        }

        private static Optional<String> refusal(int fields) {
            return fields > MAX_FIELDS
                    ? Optional.of("the request has more than " + MAX_FIELDS + " fields")
                    : Optional.empty();
        }
    }
}
