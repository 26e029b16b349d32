package io.edgeplug.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A process that attacks a server of metrics until it is closed: connections that never finish their request, headers
 * without an end, and methods that nobody serves, each as fast as the server lets it.
 */
final class HostileScrapers implements AutoCloseable {

    /** More than the server takes. */
    private static final int UNFINISHED = 200;

    private static final int PATIENCE_MILLIS = 1000;
    private static final int START_MILLIS = 30_000;

    private final Process process;

    private HostileScrapers(Process process) {
        this.process = process;
    }

    /** Returns when the attack is under way. */
    static HostileScrapers attack(int port) throws IOException {
        try (ServerSocket begun = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            begun.setSoTimeout(START_MILLIS);
            List<String> ports = List.of(String.valueOf(port), String.valueOf(begun.getLocalPort()));
            HostileScrapers scrapers = new HostileScrapers(ChildJvm.start(List.of(), HostileScrapers.class, ports));
            begun.accept().close();
            return scrapers;
        }
    }

    /** Attacks the first of these ports of this host until its standard input ends, and connects to the second once it does. */
    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(args[0]);
        Thread.ofPlatform().daemon().start(() -> unfinished(port));
        Thread.ofPlatform().daemon().start(() -> endlessHeaders(port));
        Thread.ofPlatform().daemon().start(() -> foreignMethods(port));
        connect(Integer.parseInt(args[1])).close();
        int ignored = System.in.read();
    }

    private static void unfinished(int port) {
        Deque<Socket> held = new ArrayDeque<>();
        while (true) {
            try {
                Socket socket = connect(port);
                held.add(socket);
                send(socket, "GET /metrics HTTP/1.1\r\nX: ");
            } catch (IOException e) {
                // hung up on already
            }
            if (held.size() > UNFINISHED) {
                close(held.remove());
            }
        }
    }

    private static void endlessHeaders(int port) {
        String headers = "X-A: aaaaaaaaaa\r\n".repeat(4096);
        while (true) {
            try (Socket socket = connect(port)) {
                send(socket, "GET /metrics HTTP/1.1\r\n");
                while (true) {
                    send(socket, headers);
                }
            } catch (IOException e) {
                // hung up on, as it should be
            }
        }
    }

    private static void foreignMethods(int port) {
        while (true) {
            try (Socket socket = connect(port)) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                send(socket, "BREW /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
                byte[] ignored = socket.getInputStream().readAllBytes();
            } catch (IOException e) {
                // the others are before it
            }
        }
    }

    private static Socket connect(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    private static void send(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone either way
        }
    }

    /** The least that a server can do with them: it hangs up on each. */
    static ServerSocket floor() throws IOException {
        ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(() -> {
            while (!server.isClosed()) {
                try {
                    close(server.accept());
                } catch (IOException e) {
                    // closed
                }
            }
        });
        return server;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        int ignored = process.waitFor();
    }
}
