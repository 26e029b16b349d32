package io.edgeplug.soak;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.proto.dra.v1.DRAPluginGrpc;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerPreferredAllocationRequest;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import io.edgeplug.proto.v1beta1.PreferredAllocationRequest;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** What comes to the sockets of plugins: messages of every method, messages that are none, and bytes that are no HTTP/2. */
final class CallInputs {

    private static final int CALLS = 1_000;
    private static final int CONNECTIONS = 400;

    private static final int LARGE = 2_800_000;

    /** As many as the fields of all IDs that a kubelet knows. */
    private static final int SOME = 66_000;

    private static final List<String> RESOURCES =
            List.of(Ground.PROBE, Ground.FLIP, Ground.GROUP, Ground.PREPARED, Ground.FUZZED, Ground.MANY);

    private static final List<String> METHODS = List.of(
            Calls.V1BETA1 + "Allocate",
            Calls.V1BETA1 + "Allocate",
            Calls.V1BETA1 + "GetPreferredAllocation",
            Calls.V1BETA1 + "GetPreferredAllocation",
            Calls.V1BETA1 + "PreStartContainer",
            Calls.V1BETA1 + "GetDevicePluginOptions",
            Calls.V1BETA1 + "ListAndWatch",
            Calls.V1ALPHA1 + "Allocate",
            Calls.V1ALPHA1 + "ListAndWatch",
            "x/y");

    private CallInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("calls", 210, CallInputs::calls),
                new Production("bytes", 75, CallInputs::connections),
                new Production("large-requests", 4, CallInputs::largeRequests));
    }

    /** Requests of 2.8 MB for each socket, which become many times that in memory. */
    private static int largeRequests(Attack attack, Random random) throws Exception {
        Map<Path, String> methods = Map.of(
                attack.socket(Ground.PROBE),
                Calls.V1BETA1 + "Allocate",
                attack.ground().driver().resolve("edgeplug.io/dra.sock"),
                DRAPluginGrpc.SERVICE_NAME + "/NodePrepareResources",
                attack.ground().registry().resolve("edgeplug.io-reg.sock"),
                RegistrationGrpc.SERVICE_NAME + "/NotifyRegistrationStatus",
                attack.ground().sysroot().resolve(StatusSocket.PATH),
                NodeStatusGrpc.SERVICE_NAME + "/Get");
        int sent = 0;
        try (Calls calls = new Calls()) {
            for (Map.Entry<Path, String> one : methods.entrySet()) {
                ManagedChannel channel = calls.open(attack, one.getKey());
                for (byte[] message : List.of(emptyParts(), unknownFields(LARGE / 5), unknownFields(SOME))) {
                    calls.send(channel, one.getValue(), message);
                    sent++;
                }
            }
            calls.awaitAll().ifPresent(attack::found);
        }
        return sent;
    }

    private static byte[] emptyParts() {
        ByteBuffer parts = ByteBuffer.allocate(LARGE);
        while (parts.hasRemaining()) {
            parts.putShort((short) 0x0a00);
        }
        return parts.array();
    }

    /** Each has a number of its own. */
    private static byte[] unknownFields(int count) throws IOException {
        ByteString.Output bytes = ByteString.newOutput();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        for (int i = 0; i < count; i++) {
            out.writeUInt32(2000 + i, 1);
        }
        out.flush();
        return bytes.toByteString().toByteArray();
    }

    private static int calls(Attack attack, Random random) throws Exception {
        try (Calls calls = new Calls()) {
            List<ManagedChannel> channels = new ArrayList<>();
            for (String resource : RESOURCES) {
                channels.add(calls.open(attack, resource));
            }
            for (int i = 0; i < CALLS; i++) {
                String method = METHODS.get(random.nextInt(METHODS.size()));
                byte[] message = message(method, random);
                byte[] sent = random.nextInt(4) == 0 ? Hostile.spoilt(message, random) : message;
                calls.send(channels.get(random.nextInt(channels.size())), method, sent);
            }
            calls.awaitAll().ifPresent(attack::found);
        }
        return CALLS;
    }

    /** Some whole calls that are spoilt, some noise, some that are left open until all are made. */
    private static int connections(Attack attack, Random random) throws Exception {
        Path socket = attack.socket(RESOURCES.get(random.nextInt(RESOURCES.size())));
        flood(attack, random, CONNECTIONS, () -> socket, () -> {
            String method = METHODS.get(random.nextInt(METHODS.size()));
            return Http2.call(method, message(Calls.V1BETA1 + "Allocate", random));
        });
        return CONNECTIONS;
    }

    /** Has so many connections, each with one of these calls, which is spoilt, or with noise. */
    static void flood(Attack attack, Random random, int count, Supplier<Path> socket, Supplier<byte[]> call)
            throws IOException {
        List<SocketChannel> open = new ArrayList<>();
        for (int i = 0; i < count && attack.target().isAlive(); i++) {
            byte[] sent = random.nextInt(8) == 0
                    ? Hostile.bytes(random, Hostile.size(random, 4_000))
                    : Hostile.spoilt(call.get(), random);
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(socket.get()));
                channel.configureBlocking(false);
                channel.write(ByteBuffer.wrap(sent));
            } catch (IOException e) {
                // it may hang up on such a caller
                channel.close();
            }
            if (random.nextInt(4) == 0) {
                open.add(channel);
            } else {
                channel.close();
            }
        }
        for (SocketChannel channel : open) {
            channel.close();
        }
    }

    /** A message of that method, with IDs that are there, that are not, and that nobody would give. */
    static byte[] message(String method, Random random) {
        String name = method.substring(method.indexOf('/') + 1);
        return switch (name) {
            case "Allocate" -> {
                AllocateRequest.Builder request = AllocateRequest.newBuilder();
                for (int i = random.nextInt(4); i > 0; i--) {
                    request.addContainerRequests(
                            ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids(random)));
                }
                yield request.build().toByteArray();
            }
            case "GetPreferredAllocation" -> {
                PreferredAllocationRequest.Builder request = PreferredAllocationRequest.newBuilder();
                for (int i = random.nextInt(4); i > 0; i--) {
                    request.addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                            .addAllAvailableDeviceIDs(ids(random))
                            .addAllMustIncludeDeviceIDs(ids(random))
                            .setAllocationSize(random.nextInt(5) == 0 ? random.nextInt() : random.nextInt(10)));
                }
                yield request.build().toByteArray();
            }
            case "PreStartContainer" ->
                PreStartContainerRequest.newBuilder()
                        .addAllDevicesIds(ids(random))
                        .build()
                        .toByteArray();
            default ->
                ByteString.copyFrom(Hostile.bytes(random, random.nextInt(20))).toByteArray();
        };
    }

    private static List<String> ids(Random random) {
        List<String> ids = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            ids.add(
                    switch (random.nextInt(4)) {
                        case 0 -> Hostile.text(random);
                        case 1 -> Ground.MANY_VFS.get(random.nextInt(Ground.MANY_VFS.size()));
                        case 2 -> "0000:3b:01." + random.nextInt(8);
                        default -> "p" + random.nextInt(3);
                    });
        }
        return ids;
    }
}
