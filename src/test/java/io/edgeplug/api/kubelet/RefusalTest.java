package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code kubectl describe pod} shows of each refusal: a sentence that names the device and the reason. */
@Timeout(60)
final class RefusalTest {

    @TempDir
    private Path directory = Path.of("");

    private final Closing closing = new Closing();

    @AfterEach
    void close() throws Exception {
        closing.close();
        RefusalStage.deleteLinks(directory);
    }

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Refusals#all")
    void refusalIsASentenceThatNamesTheDeviceAndTheReason(Refusal refusal) throws Exception {
        RefusalStage stage = new RefusalStage(closing, directory);
        String text = reason(() -> refusal.scene().play(stage));

        assertThat(text.replace(directory.toString(), "DIRECTORY")).isEqualTo(refusal.sentence());
        assertThat(text).hasSizeLessThan(1000).doesNotContainPattern("\\p{Cntrl}|null|[Ee]xception");
    }

    private static String reason(ThrowingCallable call) {
        Throwable refused = catchThrowable(call);
        assertThat(refused).isNotNull().isNotInstanceOfAny(RuntimeException.class, IOException.class, Error.class);
        return String.valueOf(refused.getMessage());
    }
}
