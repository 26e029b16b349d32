package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.RegistrationState.HungUp;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every event in every state of a registration. */
@Timeout(60)
final class RegistrationStateTest {

    /** The events that lead to each state. */
    private static final Map<String, List<String>> WAYS = Map.of(
            "Served", List.of(),
            "Asked", List.of("asked"),
            "Accepted", List.of("asked", "accepted"),
            "Listed", List.of("asked", "listed"),
            "Registered", List.of("asked", "listed", "accepted"),
            "Refused", List.of("asked", "refused"),
            "HungUp", List.of("asked", "hungUp"),
            "HungUpAnswered", List.of("asked", "accepted", "hungUp"));

    private final List<String> calls = new ArrayList<>();
    private final Thread kubelet = Thread.ofVirtual().unstarted(() -> {});
    private final Thread tool = Thread.ofVirtual().unstarted(() -> {});
    private final Registration registration = new Registration(
            new PluginLog(DeviceClass.of(ResourceName.parse("example.com/vf"), Kind.VF), false),
            false,
            () -> calls.add("progressed"),
            () -> calls.add("woken"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = """
            state          | found      | accepted       | listed     | refused | hungUp         | toolHungUp     | reuse
            Served         | Asked      | Served         | Served     | Served  | Served         | Served         | Served
            Asked          | Asked      | Accepted       | Listed     | Refused | HungUp         | Asked          | Asked
            Accepted       | Accepted   | Accepted       | Registered | Refused | HungUpAnswered | Accepted       | Accepted
            Listed         | Listed     | Registered     | Listed     | Refused | HungUp         | Listed         | Listed
            Registered     | Registered | Registered     | Registered | Refused | HungUpAnswered | Registered     | Registered
            Refused        | Asked      | Refused        | Refused    | Refused | Refused        | Refused        | Refused
            HungUp         | Asked      | HungUpAnswered | HungUp     | Refused | HungUp         | HungUp         | HungUp
            HungUpAnswered | Asked      | HungUpAnswered | HungUpAnswered | Refused | HungUpAnswered | HungUpAnswered | Served
            """)
    void eventLeadsTo(ArgumentsAccessor row) {
        List<String> events = List.of("found", "accepted", "listed", "refused", "hungUp", "toolHungUp", "reuse");

        for (int i = 0; i < events.size(); i++) {
            RegistrationStateTest fresh = new RegistrationStateTest();
            fresh.bring(String.valueOf(row.getString(0)));
            fresh.calls.clear();

            fresh.happens(events.get(i));

            assertThat(fresh.state()).as(events.get(i)).isEqualTo(row.getString(i + 1));
            assertThat(fresh.calls)
                    .as("who hears of " + events.get(i))
                    .isEqualTo(fresh.state().equals(row.getString(0)) ? List.of() : hears(fresh.state()));
        }
    }

    /** At the start of a kubelet nobody is woken for a question. */
    private static List<String> hears(String state) {
        return switch (state) {
            case "Served", "Asked" -> List.of();
            case "Accepted", "Listed", "Registered" -> List.of("progressed");
            default -> List.of("woken");
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"Asked", "Accepted", "Listed"})
    void kubeletThatTakesTooLongIsAProblemUntilItIsDone(String state) {
        registration.asked(() -> {}, Duration.ZERO);
        registration.streaming(kubelet);
        WAYS.getOrDefault(state, List.of()).stream().skip(1).forEach(this::happens);
        assertThat(state()).isEqualTo(state);
        assertThat(registration.state().problem().orElse("")).startsWith("cannot register: the kubelet ");

        happens("accepted");
        happens("listed");

        assertThat(registration.state().problem()).isEmpty();
    }

    @Test
    void kubeletThatDoesNotKnowTheVersionIsToldApart() {
        bring("Asked");

        registration.failed(Status.UNIMPLEMENTED.asRuntimeException());

        assertThat(registration.state())
                .isEqualTo(new RegistrationState.Refused(
                        RegistrationState.Refused.Kind.UNSUPPORTED, "the kubelet answers UNIMPLEMENTED and no reason"));
    }

    @Test
    void callIsEndedWhenTheSocketIsGivenUp() {
        registration.asked(() -> calls.add("cancelled"), Duration.ofMinutes(1));

        registration.giveUp();

        assertThat(calls).containsExactly("cancelled");
    }

    @Test
    void changeIsLoggedForDebugging() {
        try (LogLines log = LogLines.open()) {
            Logger.getLogger("io.edgeplug").setLevel(Level.FINE);
            bring("Accepted");
            happens("listed");

            assertThat(log.with("example.com/vf: Accepted[until=").getLast()).endsWith(" -> Registered[devices=3]");
        }
    }

    private void bring(String state) {
        WAYS.getOrDefault(state, List.of()).forEach(this::happens);
        assertThat(state()).isEqualTo(state);
    }

    private void happens(String event) {
        switch (event) {
            case "asked" -> {
                registration.asked(() -> {}, Duration.ofMinutes(1));
                registration.streaming(kubelet);
                registration.streaming(tool);
            }
            case "found" -> registration.found();
            case "accepted" -> registration.accepted();
            case "listed" -> registration.listed(kubelet, 3);
            case "refused" -> registration.refused("no");
            case "hungUp" -> registration.hungUp(kubelet);
            case "toolHungUp" -> registration.hungUp(tool);
            default -> {
                registration.hungUp(tool);
                boolean ignored = registration.reuse();
            }
        }
    }

    private String state() {
        RegistrationState state = registration.state();
        return state.getClass().getSimpleName() + (state instanceof HungUp end && end.isAnswered() ? "Answered" : "");
    }
}
