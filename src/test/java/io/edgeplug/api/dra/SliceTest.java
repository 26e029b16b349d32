package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.edgeplug.api.dra.SliceWatch.SliceEvent;
import io.edgeplug.system.files.ForeignJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of the API server's answers and events about slices. */
final class SliceTest {

    private static final String DEVICES =
            "\"devices\":[{\"name\":\"a\",\"attributes\":{\"numa\":{\"int\":1}}},{\"name\":\"b\"}]";
    private static final SliceContent SENT = new SliceContent("{" + DEVICES + "}", List.of("a", "b"));
    private static final String ANSWER =
            "{\"kind\":\"ResourceSlice\",\"metadata\":{\"name\":\"0003-edgeplug.io-node1-x2x4x\","
                    + "\"uid\":\"some-uid\",\"resourceVersion\":\"7\"},\"spec\":{\"driver\":\"edgeplug.io\",\"nodeName\":\"node1\","
                    + "\"pool\":{\"name\":\"node1\",\"generation\":2,\"resourceSliceCount\":4}," + DEVICES + "}}";

    @Test
    void answerWithWhatWasSentIsReadLikeAnyOther() throws Exception {
        Slice slice = Slice.of(ANSWER, SENT);

        assertThat(slice).isEqualTo(new Slice("0003-edgeplug.io-node1-x2x4x", "some-uid", "7", 3, 2, 4, SENT));
        assertThat(slice.content()).isSameAs(SENT);
        assertThat(slice).isEqualTo(Slice.of(JsonParser.parseString(ANSWER).getAsJsonObject()));
    }

    @Test
    void answerThatDiffersFromWhatWasSentHasWhatTheServerHas() throws Exception {
        Slice slice = Slice.of(ANSWER.replace("{\"int\":1}", "{\"int\":2}"), SENT);

        assertThat(slice.content().json()).isEqualTo(SENT.json().replace("{\"int\":1}", "{\"int\":2}"));
        assertThat(slice.content().devices()).containsExactly("a", "b");
    }

    @Test
    void deviceThatTheServerHasMarkedWithATimeIsTheSame() throws Exception {
        SliceContent sent = new SliceContent(
                "{\"devices\":[{\"name\":\"a\",\"taints\":[{\"effect\":\"NoSchedule\",\"key\":\"k\"}]}]}",
                List.of("a"));
        String answer =
                "{\"spec\":" + sent.json().replace("\"k\"}", "\"k\",\"timeAdded\":\"2026-11-24T18:00:00Z\"}") + "}";

        assertThat(Slice.of(answer, sent).content()).isEqualTo(sent);
    }

    /** Answers to hundreds of slices are kept. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"spec\":{\"devices\":[LONG]}}",
                "{\"spec\":{\"sharedCounters\":[{\"name\":\"LONG\"}]}}",
                "{\"metadata\":{\"name\":\"LONG\"}}",
                "{\"metadata\":{\"resourceVersion\":\"LONG\"},\"spec\":{DEVICES}}"
            })
    void answerWithMuchMoreThanWasSentIsRefused(String answer) {
        String names = IntStream.range(0, 200).mapToObj(i -> "{\"name\":\"a\"}").collect(Collectors.joining(","));
        String hostile = answer.replace("[LONG]", "[" + names + "]")
                .replace("LONG", "x".repeat(4000))
                .replace("DEVICES", DEVICES);

        assertThatThrownBy(() -> Slice.of(hostile, SENT))
                .isInstanceOf(IOException.class)
                .hasMessage("the API server's answer has much more than the slice that was sent");
    }

    @Test
    void answerThatEndsTooSoonIsRefused() {
        assertThatThrownBy(() -> Slice.of(ANSWER.substring(0, ANSWER.length() - 1), SENT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no JSON");
    }

    @Test
    void eventSaysWhatHasHappenedToWhichSlice() throws Exception {
        assertThat(event("{\"type\":\"MODIFIED\",\"object\":" + ANSWER + "}"))
                .isEqualTo(new SliceEvent("MODIFIED", "0003-edgeplug.io-node1-x2x4x", "7"));
        assertThat(event("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"metadata\":{},\"code\":410}}"))
                .isEqualTo(new SliceEvent("ERROR", "", ""));
    }

    @Test
    void eventWithANameThatNoSliceHasIsNotKept() throws Exception {
        for (String name : List.of("x".repeat(254), "x".repeat(1_000_000))) {
            assertThat(event("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"" + name + "\"}}}")
                            .type())
                    .isEmpty();
        }
    }

    private static SliceEvent event(String text) throws IOException {
        return SliceEvent.read(ForeignJson.of(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 1 << 20, ApiReading.MAX_WORD));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "7",
                "{",
                "{\"type\":null,\"object\":{}}",
                "{\"type\":\"ADDED\"}",
                "{\"type\":\"ADDED\",\"object\":[]}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":{}}}}",
                "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
            })
    void eventThatIsNoneHasNoType(String line) throws Exception {
        assertThat(event(line).type()).isEmpty();
    }
}
