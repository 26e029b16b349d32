package io.edgeplug.soak;

import com.google.protobuf.MessageLite;
import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.proto.dra.v1.Claim;
import io.edgeplug.proto.dra.v1.DRAPluginGrpc;
import io.edgeplug.proto.dra.v1.NodePrepareResourcesRequest;
import io.edgeplug.proto.drahealth.v1.DRAResourceHealthGrpc;
import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.status.GetRequest;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Floods of small frames on each socket, by callers who never read. */
final class FloodInputs {

    private static final int CONNECTIONS = 12;
    private static final int CALLS = 250;
    private static final int REFUSALS = 60;
    private static final int PINGS = 9_900;
    private static final int RESETS = 20_000;

    /** A method that no service has. The refusal names it, and is not bound by a window. */
    private static final String NONE = "none/" + "x".repeat(7_000);

    /** How long the daemon may read nothing before the rest is kept back. */
    private static final int UNREAD_MILLIS = 300;

    private FloodInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("unread-answers", 2, FloodInputs::unreadAnswers),
                new Production("unread-pings", 1, FloodInputs::unreadPings),
                new Production("rapid-resets", 2, FloodInputs::rapidResets));
    }

    /** A socket, and calls that it answers. */
    private record Door(Path socket, List<String> methods, MessageLite message) {}

    private static List<Door> doors(Attack attack) throws IOException {
        MessageLite start = PreStartContainerRequest.newBuilder()
                .addDevicesIds(Ground.PREPARED_VF)
                .build();
        MessageLite claim = NodePrepareResourcesRequest.newBuilder()
                .addClaims(
                        Claim.newBuilder().setNamespace("default").setName("c").setUid("u"))
                .build();
        return List.of(
                new Door(
                        attack.socket(Ground.PREPARED),
                        List.of(Calls.V1BETA1 + "PreStartContainer", Calls.V1BETA1 + "ListAndWatch", NONE),
                        start),
                new Door(
                        attack.ground().driver().resolve("edgeplug.io/dra.sock"),
                        List.of(
                                DRAPluginGrpc.SERVICE_NAME + "/NodePrepareResources",
                                DRAResourceHealthGrpc.SERVICE_NAME + "/NodeWatchResources"),
                        claim),
                new Door(
                        attack.ground().registry().resolve("edgeplug.io-reg.sock"),
                        List.of(RegistrationGrpc.SERVICE_NAME + "/GetInfo"),
                        InfoRequest.getDefaultInstance()),
                new Door(
                        attack.ground().sysroot().resolve(StatusSocket.PATH),
                        List.of(NodeStatusGrpc.SERVICE_NAME + "/Get", NodeStatusGrpc.SERVICE_NAME + "/Watch"),
                        GetRequest.getDefaultInstance()));
    }

    /** As many calls as a connection may have, and no window for their answers. */
    private static int unreadAnswers(Attack attack, Random random) throws Exception {
        return flood(attack, CONNECTIONS, door -> {
            ByteArrayOutputStream frames = Http2.begin(0);
            for (int i = 0; i < CALLS; i++) {
                call(frames, door, 2 * i + 1);
            }
            return List.of(frames.toByteArray());
        });
    }

    /** Refusals that fill the socket, and then fewer pings than those that end the connection. */
    private static int unreadPings(Attack attack, Random random) throws Exception {
        return flood(attack, CONNECTIONS, door -> {
            ByteArrayOutputStream refused = Http2.begin(-1);
            for (int i = 0; i < REFUSALS; i++) {
                Http2.call(refused, 2 * i + 1, NONE, new byte[0]);
            }
            ByteArrayOutputStream pings = new ByteArrayOutputStream();
            for (int i = 0; i < PINGS; i++) {
                Http2.ping(pings);
            }
            return List.of(refused.toByteArray(), pings.toByteArray());
        });
    }

    /** Calls that their caller ends at once, and whose work goes on. */
    private static int rapidResets(Attack attack, Random random) throws Exception {
        return flood(attack, 1, door -> {
            ByteArrayOutputStream frames = Http2.begin(-1);
            for (int i = 0; i < RESETS; i++) {
                call(frames, door, 2 * i + 1);
                Http2.reset(frames, 2 * i + 1);
            }
            return List.of(frames.toByteArray());
        });
    }

    private static void call(ByteArrayOutputStream frames, Door door, int stream) {
        String method = door.methods().get(stream / 2 % door.methods().size());
        Http2.call(frames, stream, method, door.message().toByteArray());
    }

    private interface Frames {
        List<byte[]> of(Door door);
    }

    /** Has so many connections to each socket, and keeps them while the daemon must still follow. */
    private static int flood(Attack attack, int connections, Frames frames) throws Exception {
        List<SocketChannel> held = new ArrayList<>();
        int sent = 0;
        try {
            for (Door door : doors(attack)) {
                List<byte[]> bytes = frames.of(door);
                for (int i = 0; i < connections && attack.target().isAlive(); i++) {
                    SocketChannel caller = SocketChannel.open(StandardProtocolFamily.UNIX);
                    held.add(caller);
                    caller.connect(UnixDomainSocketAddress.of(door.socket()));
                    boolean isRead = true;
                    for (int part = 0; isRead && part < bytes.size(); part++) {
                        isRead = send(caller, bytes.get(part));
                        sent++;
                    }
                }
            }
            if (!attack.follows() && attack.target().isAlive()) {
                attack.found("beside floods that nobody reads, the kubelet's list is no longer sent");
            }
        } finally {
            for (SocketChannel caller : held) {
                caller.close();
            }
        }
        return sent;
    }

    /** Sends for as long as the daemon reads. Returns whether it has read all. */
    private static boolean send(SocketChannel caller, byte[] bytes) {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        try (Selector selector = Selector.open()) {
            caller.configureBlocking(false);
            SelectionKey key = caller.register(selector, SelectionKey.OP_WRITE);
            while (all.hasRemaining() && selector.select(UNREAD_MILLIS) > 0) {
                selector.selectedKeys().clear();
                int unusedCount = caller.write(all);
            }
            key.cancel();
        } catch (IOException e) {
            // It may hang up on such a caller.
            return false;
        }
        return !all.hasRemaining();
    }
}
