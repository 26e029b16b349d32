package io.edgeplug.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.flow.Outcomes;
import io.edgeplug.kubelet.Closing;
import io.edgeplug.kubelet.TestDaemon;
import io.edgeplug.status.ClaimingStatus;
import io.edgeplug.status.KubeletStatus;
import io.edgeplug.status.NodeStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Holds the metrics, their table, the dashboard and the alerts against each other. */
@Timeout(60)
final class MetricNamesTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`edgeplug_[^|]*)\\|");
    private static final Pattern NAME = Pattern.compile("edgeplug_[a-z_]+");
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (edgeplug_\\w+) ");
    private static final int COLUMNS = 24;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatIsExposedIsInTheTable() throws Exception {
        try (Closing closing = new Closing()) {
            Path kubeletDir = directory.resolve("device-plugins");
            TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir));
            String text =
                    new String(new Scrape(daemon.view(), daemon.node.sysfs(), false).text(), StandardCharsets.UTF_8);

            assertThat(names(TYPE, text)).isNotEmpty().isSubsetOf(documented());
        }
    }

    @Test
    void whatIsExposedOfClaimsIsInTheTable() throws Exception {
        String text = exposed(Optional.empty());

        assertThat(names(TYPE, text)).contains("edgeplug_slices", "edgeplug_claims").isSubsetOf(documented());
        assertThat(text.lines())
                .contains(
                        "edgeplug_slices_published{driver=\"edgeplug.io\"} 1.0",
                        "edgeplug_slices{driver=\"edgeplug.io\",pool=\"edge-1\"} 2.0",
                        "edgeplug_slices_generation{driver=\"edgeplug.io\",pool=\"edge-1\"} 3.0",
                        "edgeplug_claims{driver=\"edgeplug.io\"} 4.0",
                        "edgeplug_claim_preparations_total{driver=\"edgeplug.io\",result=\"ok\"} 5.0",
                        "edgeplug_claim_preparations_total{driver=\"edgeplug.io\",result=\"error\"} 6.0");
        assertThat(exposed(Optional.of("connection refused")).lines())
                .contains("edgeplug_slices_published{driver=\"edgeplug.io\"} 0.0");
    }

    private static String exposed(Optional<String> problem) throws IOException {
        ClaimingStatus claiming =
                new ClaimingStatus("edgeplug.io", "edge-1", 3, 2, 70, problem, 4, new Outcomes.Counts(5, 6));
        NodeStatus status = new NodeStatus(
                new KubeletStatus(true, Set.of(), Map.of()), List.of(), 0, List.of(), Optional.of(claiming));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Exposition(out).write(status, PortCounters.none());
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void dashboardAndAlertsUseWhatIsInTheTable() throws IOException {
        String uses = Files.readString(Path.of("docs/grafana-edgeplug.json"))
                + Files.readString(Path.of("docs/alerts-edgeplug.yml"));

        assertThat(names(NAME, uses).stream()
                        .map(name -> name.replaceFirst("_bucket$", ""))
                        .toList())
                .isNotEmpty()
                .isSubsetOf(documented());
    }

    /** By Grafana's documentation of the classic dashboard JSON model: panels have an id, a type and a place of 24 columns. */
    @Test
    void panelsOfTheDashboardHaveAPlaceEach() throws IOException {
        JsonObject dashboard = JsonParser.parseString(Files.readString(Path.of("docs/grafana-edgeplug.json")))
                .getAsJsonObject();
        JsonArray panels = dashboard.getAsJsonArray("panels");
        Set<Integer> ids = new HashSet<>();
        Set<String> taken = new HashSet<>();
        for (JsonElement element : panels) {
            JsonObject panel = element.getAsJsonObject();
            assertThat(ids.add(panel.get("id").getAsInt())).isTrue();
            assertThat(panel.get("type").getAsString()).isIn("stat", "timeseries", "table");
            JsonObject place = panel.getAsJsonObject("gridPos");
            int x = place.get("x").getAsInt();
            int y = place.get("y").getAsInt();
            assertThat(x + place.get("w").getAsInt()).isLessThanOrEqualTo(COLUMNS);
            for (int column = x; column < x + place.get("w").getAsInt(); column++) {
                for (int row = y; row < y + place.get("h").getAsInt(); row++) {
                    assertThat(taken.add(column + "," + row))
                            .as(panel.get("title").getAsString())
                            .isTrue();
                }
            }
            assertThat(panel.getAsJsonArray("targets")).isNotEmpty();
            assertThat(panel.getAsJsonObject("datasource").get("uid").getAsString())
                    .isEqualTo("${datasource}");
        }
        assertThat(ids).isNotEmpty();
    }

    private static Set<String> documented() throws IOException {
        return ROW.matcher(Files.readString(Path.of("docs/metrics.md")))
                .results()
                .flatMap(row -> names(NAME, row.group(1)).stream())
                .collect(Collectors.toSet());
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(found.groupCount()))
                .filter(name -> !name.equals("edgeplug_"))
                .collect(Collectors.toSet());
    }
}
