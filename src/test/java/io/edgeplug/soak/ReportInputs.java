package io.edgeplug.soak;

import io.edgeplug.api.status.StatusSocket;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Those whom the daemon reports to: scrapers of metrics, and callers of the status socket. */
final class ReportInputs {

    private static final int PORT = 9464;
    private static final int CONNECTIONS = 10_000;
    private static final int SLOW = 500;
    private static final int NOISE = 300;
    private static final int UNREAD = 40;

    /** 1 GB, of which few bytes should be taken. */
    private static final int MIBS = 1024;

    private ReportInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("scrapers-many", 1, scrapers(ReportInputs::many)),
                new Production("scrapers-slow", 1, scrapers(ReportInputs::slow)),
                new Production("scrapers-headers", 2, scrapers(ReportInputs::headers)),
                new Production("scrapers-noise", 2, scrapers(ReportInputs::noise)),
                new Production("scrapers-unread", 2, scrapers(ReportInputs::unread)),
                new Production("scrapers-half-closed", 2, scrapers(ReportInputs::halfClosed)),
                new Production("status-noise", 2, ReportInputs::statusNoise),
                new Production("status-unread", 2, ReportInputs::statusUnread));
    }

    private interface Scrapers {
        int attack(Random random) throws Exception;
    }

    /** Turns metrics on for one attack, and finds out whether they are served after it. */
    private static Production.Body scrapers(Scrapers scrapers) {
        return (attack, random) -> {
            // a network namespace begins without
            new ProcessBuilder("ip", "link", "set", "lo", "up")
                    .inheritIO()
                    .start()
                    .waitFor();
            Path config = attack.ground().config();
            String before = Files.readString(config);
            Files.writeString(config, before + "\n[metrics]\nlisten = \"127.0.0.1:" + PORT + "\"\n");
            boolean isRead = attack.reload();
            if (!isRead || !isServed()) {
                attack.found("metrics are not served");
            }
            int count = scrapers.attack(random);
            if (!isServed()) {
                attack.found("metrics are not served any more");
            }
            Files.writeString(config, before);
            boolean isRestored = attack.reload();
            return isRestored ? count : 0;
        };
    }

    /** Whether a sound scrape is answered, in a time in which all connections before it must have been closed. */
    private static boolean isServed() {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3 * Attack.PATIENCE_MILLIS);
        while (System.nanoTime() < end) {
            try (Socket socket = connect()) {
                socket.setSoTimeout(1000);
                socket.getOutputStream().write(request("GET", "/metrics"));
                byte[] answer = socket.getInputStream().readAllBytes();
                if (new String(answer, StandardCharsets.UTF_8).contains("edgeplug_devices{")) {
                    return true;
                }
            } catch (IOException e) {
                // too many are before it
            }
        }
        return false;
    }

    private static Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), PORT);
    }

    private static byte[] request(String method, String path) {
        return "%s %s HTTP/1.1\r\nHost: x\r\n\r\n".formatted(method, path).getBytes(StandardCharsets.UTF_8);
    }

    private static int many(Random random) throws IOException {
        List<Socket> held = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            held.add(connect());
            if (held.size() == SLOW) {
                closeAll(held);
            }
        }
        closeAll(held);
        return CONNECTIONS;
    }

    private static int slow(Random random) throws IOException {
        List<Socket> held = new ArrayList<>();
        for (int i = 0; i < SLOW; i++) {
            Socket socket = connect();
            held.add(socket);
            try {
                socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nX: ".getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // hung up on already
            }
        }
        closeAll(held);
        return SLOW;
    }

    private static int headers(Random random) throws IOException {
        byte[] mib = "X-A: aaaaaaaaaa\r\n".repeat((1 << 20) / 17).getBytes(StandardCharsets.UTF_8);
        int sent = 0;
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write("GET /metrics HTTP/1.1\r\n".getBytes(StandardCharsets.UTF_8));
            while (sent < MIBS) {
                out.write(mib);
                sent++;
            }
        } catch (IOException e) {
            // as it should be
            return 1 + sent;
        }
        return 1 + sent;
    }

    private static int noise(Random random) throws IOException {
        List<String> methods = List.of("GET", "HEAD", "POST", "PUT", "TRACE", "CONNECT", "PRI", "", "\u0000");
        for (int i = 0; i < NOISE; i++) {
            byte[] sound = request(methods.get(random.nextInt(methods.size())), "/" + Hostile.text(random));
            try (Socket socket = connect()) {
                socket.setSoTimeout(1000);
                socket.getOutputStream().write(random.nextBoolean() ? sound : Hostile.spoilt(sound, random));
                socket.shutdownOutput();
                socket.getInputStream().readNBytes(1 << 16);
            } catch (IOException e) {
                // hung up on
            }
        }
        return NOISE;
    }

    private static int unread(Random random) throws IOException {
        List<Socket> held = new ArrayList<>();
        for (int i = 0; i < UNREAD; i++) {
            Socket socket = connect();
            held.add(socket);
            try {
                socket.getOutputStream().write(request("GET", "/metrics"));
            } catch (IOException e) {
                // beyond the limit
            }
        }
        closeAll(held);
        return UNREAD;
    }

    /** Each says that it sends no more, at some place of its request, and waits for the end. */
    private static int halfClosed(Random random) throws IOException {
        byte[] request = request("GET", "/metrics");
        for (int i = 0; i < NOISE; i++) {
            try (Socket socket = connect()) {
                socket.setSoTimeout((int) (3 * Attack.PATIENCE_MILLIS));
                socket.getOutputStream().write(request, 0, random.nextInt(request.length + 1));
                socket.shutdownOutput();
                boolean isUnread = random.nextBoolean();
                socket.getInputStream().readNBytes(isUnread ? 0 : Integer.MAX_VALUE);
            } catch (SocketException e) {
                // hung up on
            }
        }
        return NOISE;
    }

    private static void closeAll(List<Socket> held) throws IOException {
        for (Socket socket : held) {
            socket.close();
        }
        held.clear();
    }

    private static int statusNoise(Attack attack, Random random) {
        byte[] sound = Http2.call("edgeplug.status.v1.NodeStatus/Get", new byte[0]);
        for (int i = 0; i < NOISE; i++) {
            try (SocketChannel channel = status(attack)) {
                channel.write(ByteBuffer.wrap(
                        random.nextBoolean() ? Hostile.spoilt(sound, random) : Hostile.bytes(random, 1 << 10)));
            } catch (IOException e) {
                // hung up on
            }
        }
        return NOISE;
    }

    private static int statusUnread(Attack attack, Random random) throws IOException {
        List<SocketChannel> held = new ArrayList<>();
        byte[] watch = Http2.call("edgeplug.status.v1.NodeStatus/Watch", new byte[0]);
        for (int i = 0; i < SLOW; i++) {
            SocketChannel channel = status(attack);
            held.add(channel);
            try {
                channel.write(ByteBuffer.wrap(watch));
            } catch (IOException e) {
                // beyond the limit
            }
        }
        for (int i = 0; i < UNREAD; i++) {
            attack.announce(Ground.FUZZED_VFS.getFirst());
            attack.pass(10);
        }
        for (SocketChannel channel : held) {
            channel.close();
        }
        return SLOW;
    }

    private static SocketChannel status(Attack attack) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(attack.ground().sysroot().resolve(StatusSocket.PATH)));
        return channel;
    }
}
