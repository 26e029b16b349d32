package io.edgeplug.system.rpc;

import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import io.netty.channel.unix.RawUnixChannelOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Lets root, this process's user and members of a group of the node connect, even those for whom it is not their
 * primary group. The kernel reports all groups that a process had when it connected (SO_PEERGROUPS, see unix(7)).
 */
final class GroupCallers implements CallerPolicy {

    /**
     * More people do not look at the status of one node at a time. Each of them asks one question at a time, with an
     * empty message.
     */
    private static final Limits LIMITS = new Limits(128, 4, 64, 1024, 1 << 20);

    private static final Path GROUPS = Path.of("/etc/group");

    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERGROUPS = 59;

    /** Nobody is in more groups than this. With too little room, the kernel reports none at all. */
    private static final RawUnixChannelOption PEER_GROUPS =
            new RawUnixChannelOption("SO_PEERGROUPS", SOL_SOCKET, SO_PEERGROUPS, 4096 * Integer.BYTES);

    private final int uid;
    private final String group;
    /** 0 if there is no such group. */
    private final int gid;

    private GroupCallers(int uid, String group, int gid) {
        this.uid = uid;
        this.group = group;
        this.gid = gid;
    }

    /** Members of a group as it is now. If there is no such group, only root and {@code uid}. */
    static GroupCallers of(int uid, String group) {
        return new GroupCallers(uid, group, gid(GROUPS, group).orElse(0));
    }

    /** The number of a group in a file of the form of group(5). */
    static OptionalInt gid(Path groups, String name) {
        try (Stream<String> lines = Files.lines(groups, StandardCharsets.ISO_8859_1)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(fields ->
                            fields.length == 4 && fields[0].equals(name) && fields[2].matches("[1-9]\\d{0,8}"))
                    .mapToInt(fields -> Integer.parseInt(fields[2]))
                    .findFirst();
        } catch (IOException | UncheckedIOException e) {
            return OptionalInt.empty();
        }
    }

    @Override
    public void judge(EpollDomainSocketChannel connection, PeerCredentials peer, Consumer<Optional<String>> verdict) {
        boolean isIn = peer.uid() == 0 || peer.uid() == uid || (gid != 0 && isMember(connection, peer));
        verdict.accept(isIn ? Optional.empty() : Optional.of("only root and the group " + group + " may ask"));
    }

    private boolean isMember(EpollDomainSocketChannel connection, PeerCredentials peer) {
        for (int own : peer.gids()) {
            if (own == gid) {
                return true;
            }
        }
        try {
            // The rest of the buffer is 0, which is no group that is asked for.
            ByteBuffer groups = connection.config().getOption(PEER_GROUPS).order(ByteOrder.nativeOrder());
            while (groups.remaining() >= Integer.BYTES) {
                if (groups.getInt() == gid) {
                    return true;
                }
            }
        } catch (ChannelException e) {
            // It has gone, or is in too many groups.
            return false;
        }
        return false;
    }

    @Override
    public Limits limits() {
        return LIMITS;
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        return PosixFilePermissions.fromString("rw-rw-rw-");
    }
}
