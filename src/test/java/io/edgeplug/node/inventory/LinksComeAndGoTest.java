package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Links on the way to a file as they come and go, each case in real directories. */
@Timeout(60)
final class LinksComeAndGoTest extends FilesBelow {

    private WatchedFiles watch(String... patterns) throws IOException {
        return watch(SETTLE, patterns);
    }

    private Path link(Path link, String target) throws IOException {
        return Files.createSymbolicLink(link, Path.of(target));
    }

    @Test
    void directoryThatIsReplacedByALinkIsFollowedToWhereItLeads() throws Exception {
        file(cams, "c1");
        Path far = Files.createDirectories(root.resolve("run/far"));
        Path f1 = file(far, "f1");
        try (WatchedFiles files = watch("/dev/cams/*")) {
            Files.move(cams, dev.resolve("moved"));
            link(cams, "../run/far");
            files.await("f1");

            file(far, "f2");
            files.await("f1", "f2");
            Files.delete(f1);
            files.await("f2");
        }
    }

    @Test
    void emptyDirectoryBehindALinkThatIsLedElsewhereIsFollowed() throws Exception {
        Files.createDirectories(root.resolve("run/one"));
        Path two = Files.createDirectories(root.resolve("run/two"));
        Path hop = link(root.resolve("run/hop"), "one");
        link(dev.resolve("all"), "../run/hop");
        try (WatchedFiles files = watch("/dev/all/*")) {
            Files.delete(hop);
            link(hop, "two");
            file(two, "t1");

            files.await("t1");
        }
    }

    @Test
    void fileThatALinkLeadsToIsFollowedInItsOwnDirectory() throws Exception {
        Path tty = file(dev, "tty0");
        link(cams.resolve("by-id"), "../tty0");
        try (WatchedFiles files = watch("/dev/cams/*")) {
            Files.delete(tty);
            files.await(
                    "a link that leads nowhere", now -> WatchedFiles.ids(now).isEmpty() || !files.areHealthy());

            file(dev, "tty0");
            files.awaitHealthy("by-id");
        }
    }

    @Test
    void eachOfThreeLinksOnTheWayIsFollowed() throws Exception {
        Path run = Files.createDirectory(root.resolve("run"));
        Path srv = Files.createDirectory(root.resolve("srv"));
        file(srv, "target");
        Path other = file(srv, "other");
        link(cams.resolve("one"), "../../run/two");
        link(run.resolve("two"), "three");
        link(run.resolve("three"), "../srv/target");
        try (WatchedFiles files = watch("/dev/cams/*")) {
            Path three = run.resolve("three");
            Files.delete(three);
            files.await("broken", now -> WatchedFiles.ids(now).isEmpty() || !files.areHealthy());

            link(three, "../srv/other");
            files.awaitHealthy("one");
            assertThat(WatchedFiles.inode(files.device("one"))).isEqualTo(Files.getAttribute(other, "unix:ino"));

            Files.delete(other);
            files.await("broken", now -> WatchedFiles.ids(now).isEmpty() || !files.areHealthy());
        }
    }

    @Test
    void loopOfLinksIsUnhealthyUntilItIsBroken() throws Exception {
        file(dev, "tty0");
        link(cams.resolve("one"), "../tty0");
        try (WatchedFiles files = watch("/dev/cams/*")) {
            Files.delete(dev.resolve("tty0"));
            link(dev.resolve("tty0"), "tty1");
            link(dev.resolve("tty1"), "tty0");
            files.awaitProblem("one", "stat one: Too many levels of symbolic links");

            Files.delete(dev.resolve("tty1"));
            file(dev, "tty1");
            files.awaitHealthy("one");
        }
    }

    @Test
    void fileThatVanishesLeavesTheListWhileAnotherPatternCannotBeFollowed() throws Exception {
        Path c1 = file(cams, "c1");
        file(cams, "c2");
        link(dev.resolve("loop"), "loop");
        try (WatchedFiles files = watch("/dev/loop/*", "/dev/cams/*")) {
            files.await("c1", "c2");
            Files.delete(c1);

            files.await("c2");
        }
    }

    @Test
    void loopOfLinksBelowAWildcardCostsNoOtherFileOfThePattern() throws Exception {
        Path srv = Files.createDirectory(root.resolve("srv"));
        file(Files.createDirectory(srv.resolve("b")), "card1");
        link(srv.resolve("a"), "a");
        try (WatchedFiles files = watch("/srv/*/card?", "/srv/*/only")) {
            files.await("card1");
            assertThat(files.problem("card1")).isEmpty();

            file(Files.createDirectory(srv.resolve("c")), "only");
            files.await("card1", "only");

            Files.delete(srv.resolve("a"));
            file(Files.createDirectory(srv.resolve("a")), "card2");
            files.await("card2", "card1", "only");

            Files.delete(srv.resolve("a/card2"));
            Files.delete(srv.resolve("a"));
            link(srv.resolve("a"), "a");
            files.await("card1", "only");
            assertThat(files.problem("card1")).isEmpty();
        }
    }
}
