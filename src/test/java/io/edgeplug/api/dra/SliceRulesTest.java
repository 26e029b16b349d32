package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The stand-in for the API server takes and refuses slices as the real one does, which src/test/cluster asks about the same. */
final class SliceRulesTest {

    private static final Path SLICES = Path.of("src/test/cluster/slices.jsonl");

    static Stream<Named<JsonObject>> slices() throws IOException {
        return Files.readAllLines(SLICES).stream()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .map(json -> Named.of(Json.text(json, "what"), json));
    }

    @ParameterizedTest
    @MethodSource("slices")
    void sliceIsRefusedIfTheRealApiServerRefusesIt(JsonObject line) {
        JsonObject spec = JsonParser.parseString("""
                {"driver": "probe.example.com", "nodeName": "node1",
                 "pool": {"name": "node1", "generation": 1, "resourceSliceCount": 1}}""").getAsJsonObject();
        Json.object(line, "spec").asMap().forEach(spec::add);
        JsonObject slice = new JsonObject();
        slice.add("spec", spec);

        assertThat(SliceRules.problem(slice).isPresent())
                .isEqualTo(line.get("refused").getAsBoolean());
    }
}
