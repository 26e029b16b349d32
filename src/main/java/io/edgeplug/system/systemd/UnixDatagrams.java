package io.edgeplug.system.systemd;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Sends datagrams to one Unix socket, without blocking.
 *
 * <p>It uses netty's socket without a channel and its loop. So a datagram is sent when {@link #send} returns, on any
 * thread including the loop's, and even if the process ends with the next line.
 */
final class UnixDatagrams implements AutoCloseable {

    private final Socket socket;
    private final byte[] address;

    private UnixDatagrams(Socket socket, byte[] address) {
        this.socket = socket;
        this.address = address;
    }

    /**
     * Makes a socket to send from.
     *
     * @param address a path, or {@code @} and the name of an abstract socket
     * @throws IOException if netty's native library is missing, or there can be no more sockets
     */
    static UnixDatagrams to(String address) throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("netty: no native transport", Epoll.unavailabilityCause());
        }
        byte[] bytes = address.getBytes(StandardCharsets.UTF_8);
        if (address.startsWith("@")) {
            bytes[0] = 0;
        }
        return new UnixDatagrams(Socket.newSocketDomainDgram(), bytes);
    }

    /**
     * Sends one.
     *
     * @throws IOException if nobody listens, there is no room for it now, or it is too long
     */
    void send(byte[] datagram) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(datagram.length).put(datagram);
        int sent = socket.sendToDomainSocket(buffer, 0, datagram.length, address);
        if (sent != datagram.length) {
            throw new IOException("send: Resource temporarily unavailable");
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
