package io.edgeplug.system.rpc;

import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Which processes may connect to a socket, and how many connections there may be. Called on the event loop only. */
interface CallerPolicy {

    /**
     * Decides about a process that has connected, at once or later.
     *
     * @param verdict gets the decision: empty if the process may connect, otherwise the reason
     */
    void judge(EpollDomainSocketChannel connection, PeerCredentials peer, Consumer<Optional<String>> verdict);

    /** How many connections there may be at a time. */
    int maxConnections();

    /** The permissions of the socket. They limit who can connect at all. */
    Set<PosixFilePermission> permissions();
}
