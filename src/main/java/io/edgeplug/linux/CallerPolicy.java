package io.edgeplug.linux;

import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Which processes may connect to a socket, and how many of them. On the event loop only. */
interface CallerPolicy {

    /** How to go on: without a reason if the process may connect, else with why not. */
    interface Verdict extends Consumer<Optional<String>> {}

    /** Decides on a process that has connected, at once or later. */
    void judge(EpollDomainSocketChannel connection, PeerCredentials peer, Verdict verdict);

    /** How many connections may stand at a time. */
    int maxConnections();

    /** Who can connect at all; the decision is not made by these. */
    Set<PosixFilePermission> permissions();
}
