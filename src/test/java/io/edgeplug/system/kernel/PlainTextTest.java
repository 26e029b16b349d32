package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names from outside in texts that leave. */
final class PlainTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b",
                "\n",
                "\r",
                "\u0085",
                "\u009b",
                "\u202e",
                "\u2066",
                "\u200b",
                "\ufeff",
                "\u2028",
                "\u2029",
                "\udb40\udc41"
            })
    void characterThatATerminalOrAReaderWouldObeyIsAQuestionMark(String character) {
        assertThat(PlainText.of("a" + character + "b")).isEqualTo("a?b");
    }

    @Test
    void allOtherTextStaysAsItIs() {
        String text = "grün \u00e9 \u6f22 \ud83d\ude00 /dev/x y=\"1\"";

        assertThat(PlainText.of(text)).isSameAs(text);
    }

    @Test
    void inJsonItIsEscapedAndReadBackAsItWas() {
        String value = "a\u001b\u009b\u202e\u2028\n\udb40\udc41b";
        String json = PlainText.ofJson(new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(Map.of("x", value)));

        assertThat(json).matches("(?s)[\\n -~]*");
        assertThat(new Gson().fromJson(json, JsonObject.class).get("x").getAsString())
                .isEqualTo(value);
    }
}
