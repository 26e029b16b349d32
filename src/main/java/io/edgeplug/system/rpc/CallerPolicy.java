package io.edgeplug.system.rpc;

import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Which processes may connect to a socket, and what they may ask for. Called on the event loop only. */
interface CallerPolicy {

    /**
     * Decides about a process that has connected, at once or later.
     *
     * @param verdict gets the decision: empty if the process may connect, otherwise the reason
     */
    void judge(EpollDomainSocketChannel connection, PeerCredentials peer, Consumer<Optional<String>> verdict);

    /** What they may ask for. */
    Limits limits();

    /**
     * What callers may ask for at a time.
     *
     * @param connections of one socket
     * @param calls of one connection
     * @param bytes of one request
     * @param piece how many bytes are read of a connection at a time
     * @param memory of all calls; a request and its answer may take more than three times its bytes
     */
    record Limits(int connections, int calls, int bytes, int piece, int memory) {}

    /** The permissions of the socket. They limit who can connect at all. */
    Set<PosixFilePermission> permissions();
}
