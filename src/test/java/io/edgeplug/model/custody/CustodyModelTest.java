package io.edgeplug.model.custody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.edgeplug.model.custody.Search.Found;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The real rules in all states of bounded worlds, from each of which all must come to rest. The numbers are asserted, so
 * that a world cannot shrink unseen.
 */
final class CustodyModelTest {

    static Stream<Arguments> worlds() {
        return Stream.of(
                world("two devices in a group", Worlds::group, 63_453, 223_236),
                world("a group and a crash", Worlds::groupWithCrash, 40_592, 148_079),
                world("a group without scrubs", Worlds::plainGroup, 21_257, 75_282),
                world("drivers that come late", Worlds::lateDrivers, 15_732, 53_907),
                world("unreadable notes", Worlds::unreadable, 36_001, 146_008),
                world("shares", Worlds::shares, 33_060, 135_415),
                world("shares with scrubs", Worlds::scrubbedShares, 70_782, 264_297),
                world("parts of a function", Worlds::parts, 10_154, 33_309),
                world("a PF and its VF", Worlds::virtualFunction, 4_424, 12_795),
                world("unseen starts", Worlds::unseen, 118_694, 416_234),
                world("unseen starts after a scrub", Worlds::unseenAfterScrub, 71_305, 189_066),
                world("host driver", Worlds::hostDriver, 91_788, 426_702),
                world("reload", Worlds::reload, 18_066, 63_062),
                world("replug", Worlds::replug, 96_488, 377_693),
                world("lies of the kubelet", Worlds::lies, 18_501, 60_764),
                world("static pod", Worlds::staticPod, 21_841, 74_761));
    }

    private static Arguments world(String name, Supplier<Scenario> scenario, int states, int steps) {
        return arguments(name, scenario, states, steps);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("worlds")
    void noStateIsWrongAndAllComesToRest(String name, Supplier<Scenario> scenario, int states, int steps) {
        assertThat(new Search(scenario.get(), new Decisions()).run()).as(name).isEqualTo(new Found(states, steps));
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake("faces are ignored", Mistakes.facesAreIgnored(), Worlds.group(), "two have "),
                mistake(
                        "the group is ignored",
                        Mistakes.groupIsIgnored(),
                        Worlds.plainGroup(),
                        "two have the group of B and A"),
                mistake("other parts are ignored", Mistakes.otherPartsAreIgnored(), Worlds.parts(), "which are one"),
                mistake(
                        "shares are other devices",
                        Mistakes.sharesAreOtherDevices(),
                        Worlds.shares(),
                        "held as a whole and in part"),
                mistake(
                        "a scrub waits for pods that never start",
                        Mistakes.sharesWaitForOthers(),
                        Worlds.scrubbedShares(),
                        "waits for a scrub that is not due"),
                mistake(
                        "users of VFs are ignored",
                        vfsAreIgnored(),
                        Worlds.virtualFunction(),
                        "F is scrubbed while Q has it"),
                mistake("old notes count", Mistakes.oldNotesCount(), Worlds.group(), "two have "),
                mistake(
                        "holds end before processes",
                        Mistakes.holdsEndBeforeProcesses(),
                        Worlds.plainGroup(),
                        "two have "),
                mistake(
                        "a last process is forgotten",
                        Mistakes.lastProcessIsForgotten(),
                        Worlds.plainGroup(),
                        "two have "),
                mistake(
                        "a late group is not learned",
                        Mistakes.lateGroupIsNotLearned(),
                        Worlds.lateDrivers(),
                        "two have the group of "),
                mistake(
                        "a trouble outlives its user",
                        Mistakes.troubleOutlivesItsUser(),
                        Worlds.unseen(),
                        "not all is offered in the end"),
                mistake(
                        "a failed scrub never ends",
                        Mistakes.failedScrubNeverEnds(),
                        Worlds.staticPod(),
                        "work without an end"),
                mistake(
                        "it is not tried again",
                        Mistakes.failedScrubIsNotTriedAgain(),
                        Worlds.staticPod(),
                        "nothing is due"),
                mistake(
                        "starts are not counted down",
                        Mistakes.startsAreNotCountedDown(),
                        Worlds.group(),
                        "starts that wait"),
                mistake(
                        "a scrub ignores processes",
                        Mistakes.processesAreIgnored(),
                        Worlds.groupWithCrash(),
                        "is scrubbed while P has it"),
                mistake(
                        "a scrub ignores users",
                        Mistakes.usersAreIgnored(),
                        Worlds.unseen(),
                        "is scrubbed while Q has it"),
                mistake(
                        "an unseen start is not noted",
                        Mistakes.unseenStartIsNotNotedAfterAReleasedUser(),
                        Worlds.unseenAfterScrub(),
                        "Q has"),
                mistake(
                        "starts do not wait for a scrub",
                        Mistakes.startsDoNotWait(),
                        Worlds.groupWithCrash(),
                        "starts with traces of"),
                mistake(
                        "traces are offered",
                        Mistakes.tracesAreOffered(),
                        Worlds.groupWithCrash(),
                        "is offered with traces of"),
                mistake(
                        "a boot forgets traces",
                        Mistakes.newDaemonForgetsTraces(),
                        Worlds.groupWithCrash(),
                        "a boot forgets the traces"),
                mistake(
                        "a boot forgets users",
                        Mistakes.newDaemonForgetsLastUsers(),
                        Worlds.groupWithCrash(),
                        "two have "));
    }

    private static Decisions vfsAreIgnored() {
        return new Decisions() {
            @Override
            boolean isKin(String device, String other) {
                return false;
            }
        };
    }

    private static Arguments mistake(String name, Decisions decisions, Scenario scenario, String violation) {
        return arguments(name, decisions, scenario, violation);
    }

    /** A test of this test. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void plantedMistakeIsFound(String name, Decisions decisions, Scenario scenario, String violation) {
        assertThatThrownBy(() -> new Search(scenario, decisions).run())
                .as(name)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(violation);
    }

    @Test
    @EnabledIfSystemProperty(named = "soak", matches = ".*")
    void noStateOfALargeWorldIsWrong() {
        assertThat(new Search(Worlds.large(), new Decisions()).run()).isEqualTo(new Found(3_849_418, 18_899_972));
    }
}
