package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.AwaitedClaimsTest.isTrue;
import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.api.kubelet.Seen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that change while they are prepared for the scheduler, and answers and devices that come later than that. */
@Timeout(90)
final class LateNewsTest extends OnEarlyNode {

    private static final String MINE = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/mine";
    private static final String BIND = "sys/bus/pci/drivers/vfio-pci/bind";

    @Override
    String classes() {
        return CLASSES.replace("[class.prepare]", "[class.prepare]\ntimeout = 2");
    }

    private Path note() {
        return node.claims().resolve("uid-of-mine.json");
    }

    private boolean isReadyWith(String device) {
        try {
            String note = Files.readString(note());
            return note.contains(device) && note.contains("\"boot\"");
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void allocateAnew() {
        node.server.put(TestClaims.deallocated("mine"));
        node.server.put(TestClaims.awaited("mine", VF1_NAME));
    }

    @Test
    void claimThatIsDeletedAfterItWasReadAndBeforeItIsNotedIsGivenBack() throws Exception {
        node.server.answerRaw("GET " + MINE, out -> {
            node.server.answerAsUsual("GET " + MINE);
            node.server.gate(objects -> objects.claims.delete("default", "mine"));
            node.server.put(TestClaims.awaited("yours", VF1_NAME));
            try {
                // It shows that the news of the first claim were read.
                JsonObject ignored = node.server.awaitClaim("yours", isTrue("Ready"));
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            out.write(TestClaims.awaited("mine", VF0_NAME).toString().getBytes(StandardCharsets.UTF_8));
        });
        try (LogLines log = LogLines.open()) {
            node.server.put(TestClaims.awaited("mine", VF0_NAME));
            assertThat(log.await("claim default/mine: given back before its pod was bound"))
                    .hasSize(1);
        }

        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
        assertThat(note()).doesNotExist();
    }

    /** The failure is told only once the slices say that the device has failed. */
    @Test
    void failureOfOneAllocationIsNotThatOfTheNext() throws Exception {
        String slice = Json.text(Json.object(node.server.slices().getFirst(), "metadata"), "name");
        String put = "PUT /apis/resource.k8s.io/v1/resourceslices/" + slice;
        AtomicBoolean fails = new AtomicBoolean(true);
        AtomicBoolean isNew = new AtomicBoolean(true);
        node.node.interfere(BIND, () -> {
            if (fails.getAndSet(false)) {
                node.server.answerRaw(put, out -> {
                    if (isNew.getAndSet(false)) {
                        allocateAnew();
                    }
                    out.write('{');
                });
                throw new IOException("Cannot allocate memory");
            }
        });
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        Seen.untilSo("the next one is ready", () -> isReadyWith(VF1_NAME));
        node.server.answerAsUsual(put);

        assertThat(node.server.awaitClaim("mine", isTrue("Ready")).toString()).contains(VF1_NAME);
    }

    @Test
    void statusThatIsRefusedForOneAllocationIsWrittenForTheNext() throws Exception {
        node.server.before("PATCH " + MINE + "/status", () -> {
            allocateAnew();
            Seen.untilSo("the next one is ready", () -> isReadyWith(VF1_NAME));
        });
        node.server.put(TestClaims.awaited("mine", VF0_NAME));

        assertThat(node.server.awaitClaim("mine", isTrue("Ready")).toString()).contains(VF1_NAME);
    }

    /** The kernel goes on, and the next try waits for it. */
    @Test
    void claimWhoseDriverTakesLongerThanTheTimeoutIsReadyAfterwards() throws Exception {
        CountDownLatch goesOn = new CountDownLatch(1);
        node.node.interfere(BIND, () -> {
            try {
                if (!goesOn.await(60, TimeUnit.SECONDS)) {
                    throw new IOException("has waited for too long");
                }
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        });
        try (LogLines log = LogLines.open()) {
            node.server.put(TestClaims.awaited("mine", VF0_NAME));
            assertThat(log.await(VF0 + ": unhealthy: is being prepared")).isNotEmpty();
        }
        Seen.untilSo(
                "it is tried again",
                () -> node.server.requests().stream()
                                .filter(("GET " + MINE)::equals)
                                .count()
                        >= 3);
        goesOn.countDown();

        assertThat(isTrue("Ready"))
                .accepts(node.server.awaitClaim("mine", isTrue("Ready").or(isTrue("PreparationFailed"))));
    }

    @Test
    void podThatHasTheClaimWhenTheKubeletAsksIsTheOneThatIsNoted() throws Exception {
        node.server.put(TestClaims.awaited("mine", VF0_NAME));
        JsonObject ready = node.server.awaitClaim("mine", isTrue("Ready"));
        TestClaims.reservedFor(ready).addProperty("uid", "uid-of-another");
        node.server.put(ready);
        prepare("mine");

        assertThat(note()).content().contains("uid-of-another");
    }
}
