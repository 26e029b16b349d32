package io.edgeplug.soak;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Calls of plugins with any bytes as their message, many at a time, whose refusals are read for what must not be in them. */
final class Calls implements AutoCloseable {

    static final String V1BETA1 = "v1beta1.DevicePlugin/";
    static final String V1ALPHA1 = "deviceplugin.DevicePlugin/";

    private static final int AT_A_TIME = 64;
    private static final long DEADLINE_SECONDS = 30;

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private final Semaphore turns = new Semaphore(AT_A_TIME);
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final List<ClientCall<byte[], byte[]>> streams = new ArrayList<>();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();

    /** A channel to a resource's socket, which is closed with this. */
    ManagedChannel open(Attack attack, String resource) throws IOException {
        return open(attack, attack.socket(resource));
    }

    /** The same to any socket. */
    ManagedChannel open(Attack attack, Path socket) {
        ManagedChannel channel = attack.rpc().dial(socket);
        channels.add(channel);
        return channel;
    }

    /** Sends one call, once few enough are waiting; a list is read once, and left. */
    void send(ManagedChannel channel, String method, byte[] message) throws InterruptedException {
        if (!turns.tryAcquire(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            problems.add("no call is answered any more");
            return;
        }
        boolean isList = method.endsWith("ListAndWatch");
        ClientCall<byte[], byte[]> call = channel.newCall(
                method(method, isList), CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS));
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] answer) {
                        if (isList) {
                            call.cancel("enough", null);
                        }
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        turns.release();
                        look(method, status);
                    }
                },
                new Metadata());
        call.sendMessage(message);
        call.halfClose();
        call.request(1);
    }

    private void look(String method, Status status) {
        String text = String.valueOf(status.getDescription());
        if (Cleanliness.isUnclean(text)) {
            problems.add("a refusal of " + method + " has control characters: " + Cleanliness.visible(text));
        } else if (status.getCode() == Status.Code.DEADLINE_EXCEEDED && text.contains("CallOptions")) {
            problems.add(method + " was not answered for " + DEADLINE_SECONDS + " s");
        }
    }

    /** Opens lists that nobody reads, on one channel. */
    void openUnread(ManagedChannel channel, int count) {
        for (int i = 0; i < count; i++) {
            ClientCall<byte[], byte[]> call =
                    channel.newCall(method(V1BETA1 + "ListAndWatch", true), CallOptions.DEFAULT);
            call.start(new ClientCall.Listener<>() {}, new Metadata());
            call.sendMessage(new byte[0]);
            call.halfClose();
            streams.add(call);
        }
    }

    static MethodDescriptor<byte[], byte[]> method(String name, boolean isList) {
        return MethodDescriptor.newBuilder(BYTES, BYTES)
                .setFullMethodName(name)
                .setType(isList ? MethodDescriptor.MethodType.SERVER_STREAMING : MethodDescriptor.MethodType.UNARY)
                .build();
    }

    /** Waits until all are answered, and says what is wrong with an answer, if anything is. */
    Optional<String> awaitAll() throws InterruptedException {
        if (!turns.tryAcquire(AT_A_TIME, DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            return Optional.of("calls are not answered");
        }
        turns.release(AT_A_TIME);
        return problems.stream().findFirst();
    }

    @Override
    public void close() {
        streams.forEach(call -> call.cancel("enough", null));
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
