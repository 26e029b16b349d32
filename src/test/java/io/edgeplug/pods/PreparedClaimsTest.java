package io.edgeplug.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is noted of claims, and what of it is believed later. */
final class PreparedClaimsTest {

    private static final String VF = "0000:3b:01.0";

    @TempDir
    private Path root = Path.of("");

    private static PreparedClaim claim(String uid, boolean isForAdministrator, Optional<String> boot) {
        PreparedClaim.Device device = new PreparedClaim.Device(
                "vfs", "node1", "0000-3b-01-0", VF, "example.com/vf", isForAdministrator, Optional.of("a/b=c"));
        return new PreparedClaim(uid, "default", "mine-" + uid, List.of("pod"), List.of(device), boot, boot);
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

        read().forget("one");
        assertThat(read().all()).isEmpty();
    }

    @Test
    void deviceHasOneClaimButAnyNumberOfLookers() throws Exception {
        PreparedClaims claims = read();
        claims.note(claim("one", false, Optional.empty()));
        claims.note(claim("look", true, Optional.empty()));

        assertThatThrownBy(() -> claims.note(claim("two", false, Optional.empty())))
                .hasMessage("claim default/mine-one has one of its devices, and was not released yet");
        assertThat(claims.holdings()).hasSize(1);
        claims.forget("one");
        claims.note(claim("two", false, Optional.empty()));
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
    void nameOfAFileIsNoPath() {
        assertThat(PreparedClaims.isUid("../x")).isFalse();
        assertThatThrownBy(() -> read().note(claim("../x", false, Optional.empty())))
                .hasMessageContaining("is no UID");
    }

    @Test
    void claimOfABootBeforeHasNothingNow() throws Exception {
        Files.createDirectories(PreparedClaims.boot(root).resolveSibling(""));
        Files.writeString(PreparedClaims.boot(root), "now");
        assertThat(PreparedClaims.having(root, VF::equals)).isEmpty();
        read().note(claim("one", false, Optional.of("now")));
        assertThat(PreparedClaims.having(root, VF::equals)).isPresent();
        assertThat(PreparedClaims.having(root, "other"::equals)).isEmpty();

        Files.writeString(PreparedClaims.boot(root), "later");
        assertThat(PreparedClaims.having(root, VF::equals)).isEmpty();
    }
}
