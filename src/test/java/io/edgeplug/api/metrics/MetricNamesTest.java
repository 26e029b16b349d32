package io.edgeplug.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.api.status.NodeStatus;
import io.edgeplug.api.status.NodeStatus.ClaimingStatus;
import io.edgeplug.api.status.NodeStatus.DeviceStatus;
import io.edgeplug.api.status.NodeStatus.KubeletStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.supply.HolderNotes;
import io.edgeplug.node.supply.StepTimes;
import io.edgeplug.node.supply.StepTimes.StepTime;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Outcomes;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the metrics, their table, the dashboard and the alerts against each other. */
final class MetricNamesTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`edgeplug_[^|]*)\\|");
    private static final Pattern NAME = Pattern.compile("edgeplug_[a-z_]+");
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (edgeplug_\\w+) ");
    private static final int COLUMNS = 24;

    @Test
    void tableHasEachMetricOnceAndNoOther() throws IOException {
        Stream<String> counters = PortCounters.none().families().stream().map(Family::name);

        assertThat(documented())
                .containsExactlyInAnyOrderElementsOf(Stream.concat(names(TYPE, exposed(Optional.empty())), counters)
                        .toList());
    }

    @Test
    void claimsAndSlicesAreExposed() throws IOException {
        assertThat(exposed(Optional.empty()).lines())
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
        StringWriter out = new StringWriter();
        new Exposition(out).write(everything(problem), PortCounters.none());
        return out.toString();
    }

    @Test
    void dashboardAndAlertsUseWhatIsInTheTable() throws IOException {
        String uses = Files.readString(Path.of("docs/grafana-edgeplug.json"))
                + Files.readString(Path.of("docs/alerts-edgeplug.yml"));

        assertThat(names(NAME, uses).map(name -> name.replaceFirst("_bucket$", "")))
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

    /** A status in which each metric has a series, because one without series is not exposed. */
    private static NodeStatus everything(Optional<String> problem) {
        ResourceName name = ResourceName.parse("example.com/gopher");
        Outcomes.Counts counts = new Outcomes.Counts(1, 1);
        DeviceStatus held = new DeviceStatus(
                new PathDevice(
                        "g1",
                        List.of(new PathDevice.File("/etc/g1", Optional.empty())),
                        Optional.empty(),
                        Health.HEALTHY),
                List.of(new User.Pod("uid", Optional.empty(), Optional.empty(), "main")),
                1,
                false,
                true,
                false);
        ClaimingStatus claiming = new ClaimingStatus(
                "edgeplug.io", "edge-1", 3, 2, 70, problem, 4, new Outcomes.Counts(5, 6), Optional.empty());
        return new NodeStatus(
                new KubeletStatus(Optional.empty(), Set.of(name), Map.of(name, counts)),
                List.of(new ResourceStatus(name, true, 1, List.of(held), counts)),
                1,
                List.of(new StepTime(name, "reset", Collections.nCopies(StepTimes.BOUNDS.size() + 1, 1L), 0.5)),
                List.of(new Front.Bugs(Front.DRA, 1, Instant.EPOCH, "a bug")),
                new HolderNotes.State(0, Instant.EPOCH, List.of()),
                List.of(),
                Map.of(),
                Optional.of(claiming));
    }

    private static List<String> documented() throws IOException {
        return ROW.matcher(Files.readString(Path.of("docs/metrics.md")))
                .results()
                .flatMap(row -> names(NAME, row.group(1)))
                .toList();
    }

    private static Stream<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(found.groupCount()))
                .filter(name -> !name.equals("edgeplug_"));
    }
}
