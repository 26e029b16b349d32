package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is noted of claims, and what of it is believed later. */
final class PreparedClaimsTest {

    private static final String VF = "0000:3b:01.0";

    @TempDir
    private Path root = Path.of("");

    private static PreparedClaim claim(String uid, boolean isForAdministrator, Optional<String> boot) {
        return claim(uid, VF, isForAdministrator, boot);
    }

    private static PreparedClaim claim(String uid, String id, boolean isForAdministrator, Optional<String> boot) {
        PreparedClaim.Device device = new PreparedClaim.Device(
                "vfs",
                "node1",
                "0000-3b-01-0",
                Optional.of("share-of-" + uid).filter(share -> id.contains("::")),
                id,
                "example.com/vf",
                isForAdministrator,
                Optional.of("a/b=c"));
        PreparedClaim begun = new PreparedClaim(
                uid, "default", "mine-" + uid, List.of(new PreparedClaim.Pod("pod", "name")), List.of(device));
        return boot.map(one -> begun.ready(one, one, Map.of("vfs", "{\"name\":\"" + uid + "\"}\n")))
                .orElse(begun);
    }

    private PreparedClaims read() throws Exception {
        return PreparedClaims.read(PreparedClaims.directory(root));
    }

    @Test
    void claimIsReadAsItWasNoted() throws Exception {
        PreparedClaim begun = claim("one", false, Optional.empty());
        PreparedClaim ready = claim("one", false, Optional.of("boot"));
        read().note(begun);
        assertThat(read().all()).containsExactly(begun);
        read().note(ready);
        assertThat(read().of("one")).contains(ready);
        assertThat(read().holdings())
                .containsExactly(
                        new HeldDevices.Holding("pod", "claim mine-one", "example.com/vf", VF, Optional.of("one")));

        PreparedClaim ahead = ready.of("2026-11-27T12:00:00Z vfs=node1/0000-3b-01-0", true);
        read().note(ahead);
        assertThat(read().of("one")).contains(ahead);
        assertThat(ahead.askedFor(ahead.pods()))
                .isEqualTo(ready.of("2026-11-27T12:00:00Z vfs=node1/0000-3b-01-0", false));
        read().forget("one");
        assertThat(read().all()).isEmpty();
    }

    /** As five devices of which a claim consumes all 1,000 shares each. */
    @Test
    void claimWhoseNoteCouldNotBeReadAgainIsNotNoted() throws Exception {
        List<PreparedClaim.Device> shares = IntStream.range(0, 5000)
                .mapToObj(i -> new PreparedClaim.Device(
                        "vfs",
                        "node1",
                        "0000-3b-01-0",
                        Optional.of("9d8e3bb2-6f37-4d26-8e0e-0123456789ab"),
                        VF + "::" + i,
                        "example.com/vf",
                        false,
                        Optional.of("a/b=c")))
                .toList();
        PreparedClaim large = new PreparedClaim("large", "default", "mine", List.of(), shares);

        assertThatThrownBy(() -> read().note(large))
                .hasMessage("the note of the claim would take more than the 6144 KiB of memory that there are for it");
        assertThat(read().unread()).isEmpty();
        assertThat(read().all()).isEmpty();
    }

    @Test
    void noteThatIsDamagedIsToldAndTheOthersAreRead() throws Exception {
        read().note(claim("one", false, Optional.empty()));
        Files.writeString(PreparedClaims.directory(root).resolve("bad.json"), "{\"uid\": 1");
        Files.writeString(PreparedClaims.directory(root).resolve("empty.json"), "");

        assertThat(read().all()).hasSize(1);
        assertThat(read().unread()).hasSize(2).allMatch(line -> line.contains("is not as edgeplug writes it"));
    }

    @Test
    void claimThatAnEarlierBuildNotedIsRead() throws Exception {
        read().note(claim("one", false, Optional.empty()));
        Path file = PreparedClaims.directory(root).resolve("one.json");
        Files.writeString(file, Files.readString(file).replace("{\"uid\":\"pod\",\"name\":\"name\"}", "\"pod\""));

        assertThat(read().of("one").orElseThrow().pods()).containsExactly(new PreparedClaim.Pod("pod", ""));
    }

    /** Another claim could get a device that a running pod has. */
    @Test
    void asLongAsANoteIsDamagedNoClaimIsNotedAnew() throws Exception {
        read().note(claim("one", false, Optional.empty()));
        read().note(claim("look", true, Optional.empty()));
        Path file = PreparedClaims.directory(root).resolve("one.json");
        for (String damaged :
                List.of("", "{}", "[]", "{\"pods\": 1}", Files.readString(file).replace("one", "two"))) {
            Files.writeString(file, damaged);
            PreparedClaims claims = read();
            assertThat(claims.isUnread("one")).isTrue();
            for (String uid : List.of("one", "other")) {
                assertThatThrownBy(() -> claims.note(claim(uid, false, Optional.empty())))
                        .hasMessage(
                                file + ": is not as edgeplug writes it, so it is not known which devices claim one has,"
                                        + " and no other claim gets any; delete the pods that use it, or drain the node and"
                                        + " delete the file");
            }
            claims.note(claim("look", true, Optional.of("boot")));
        }
        PreparedClaims claims = read();
        claims.forget("one");

        assertThat(file).doesNotExist();
        claims.note(claim("other", false, Optional.empty()));
    }

    @Test
    void damagedNoteThatAPersonDeletesIsInNobodysWay() throws Exception {
        Files.createDirectories(PreparedClaims.directory(root));
        Path file = Files.writeString(PreparedClaims.directory(root).resolve("one.json"), "");
        PreparedClaims claims = read();
        assertThatThrownBy(claims::refuseIfUnread).hasMessageContaining("is not as edgeplug writes it");
        assertThatThrownBy(() -> Holdings.read(root, null).of(VF)).hasMessageContaining("one.json");
        Files.delete(file);

        claims.refuseIfUnread();
        assertThat(Holdings.read(root, null).of(VF)).isEmpty();
    }

    private static PreparedClaim large(String uid, int characters) {
        return claim(uid, true, Optional.empty()).ready("boot", "x".repeat(characters), Map.of());
    }

    /** It would be damaged after a restart, and then no claim is prepared any more. */
    @Test
    void noteThatCouldNotBeReadAgainIsNotWritten() throws Exception {
        PreparedClaims claims = read();
        claims.note(claim("one", true, Optional.empty()));
        for (int characters : List.of(ClaimNote.MAX_BYTES, ClaimNote.MAX_BYTES - 100)) {
            assertThatThrownBy(() -> claims.note(large("one", characters))).hasMessageContaining("more than 1024 KiB");
        }
        claims.note(large("two", ClaimNote.MAX_BYTES - 1000));

        assertThat(read().unread()).isEmpty();
        assertThat(read().of("one")).contains(claim("one", true, Optional.empty()));
        assertThat(read().of("two")).isPresent();
    }

    @Test
    void notesOfAllClaimsTogetherHaveALimit() throws Exception {
        PreparedClaims claims = read();
        for (int i = 0; i < 9; i++) {
            claims.note(large("claim-" + i, 900_000));
        }
        for (PreparedClaims one : List.of(claims, read())) {
            assertThatThrownBy(() -> one.note(large("more", 900_000))).hasMessageContaining("more than 8 MiB");
            one.note(large("claim-0", 900_000));
            one.forget("claim-1");
            one.note(large("claim-1", 900_000));
            one.note(claim("small", true, Optional.empty()));
        }
        Files.copy(
                PreparedClaims.directory(root).resolve("claim-0.json"),
                PreparedClaims.directory(root).resolve("by-hand.json"));
        assertThat(read().unread()).hasSize(1);
    }

    @Test
    void somethingElseInPlaceOfTheNotesIsNoSignThatThereAreNone() throws Exception {
        Path notes = PreparedClaims.directory(root);
        Files.createDirectories(notes.resolveSibling(""));
        Files.writeString(notes, "");
        assertThatThrownBy(this::read)
                .hasMessage(notes + ": is no directory, so it is not known which devices claims have");
        assertThatThrownBy(() -> PreparedClaims.ofThisBoot(root)).hasMessageContaining("is no directory");
        Files.delete(notes);
        Files.createSymbolicLink(notes, Path.of("nowhere"));
        assertThatThrownBy(this::read).hasMessageContaining("is no directory");
        Files.delete(notes);
        assertThat(read().all()).isEmpty();

        Files.createDirectory(notes);
        Files.createSymbolicLink(notes.resolve("one.json"), Path.of("nowhere"));
        assertThat(read().unread()).hasSize(1);
        assertThatThrownBy(() -> read().refuseIfUnread()).hasMessageContaining("one.json");
    }

    @Test
    void nameOfAFileIsNoPath() {
        assertThat(PreparedClaims.isUid("../x")).isFalse();
        assertThatThrownBy(() -> read().note(claim("../x", false, Optional.empty())))
                .hasMessageContaining("is no UID");
    }

    @Test
    void claimOfABootBeforeHasNothingNow() throws Exception {
        Files.createDirectories(PreparedClaims.boot(root).resolveSibling(""));
        Files.writeString(PreparedClaims.boot(root), "now");
        assertThat(Holdings.read(root, null).of(VF)).isEmpty();
        read().note(claim("one", false, Optional.of("now")));
        assertThat(Holdings.read(root, null).of(VF)).isPresent();
        assertThat(Holdings.read(root, null).of("other")).isEmpty();

        Files.writeString(PreparedClaims.boot(root), "later");
        assertThat(Holdings.read(root, null).of(VF)).isEmpty();
    }
}
