package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StuckLooksTest {

    private static final String PLACE = "0000:3b:01.0";

    private final StuckLooks stuck = new StuckLooks();

    private Thread lose(String place) {
        Thread thread = Thread.ofPlatform().unstarted(() -> {});
        stuck.add(thread, place, "read config has not returned");
        return thread;
    }

    @Test
    void placeThatKeepsBeingSlowWaitsForItsTurn() {
        assertThat(stuck.remove(lose(PLACE), PLACE)).isTrue();
        assertThat(stuck.refusal(PLACE)).isEmpty();

        assertThat(stuck.remove(lose(PLACE), PLACE)).isFalse();
        assertThat(stuck.refusal(PLACE)).contains("read config has not returned");

        stuck.takeTurns();
        assertThat(stuck.refusal(PLACE)).isEmpty();
    }

    @Test
    void placeThatIsStillStuckHasNoTurn() {
        lose(PLACE);

        stuck.takeTurns();

        assertThat(stuck.refusal(PLACE)).isPresent();
    }

    @Test
    void threadOfWhatIsGoneSaysNothingOfItsSuccessor() {
        Thread first = lose(PLACE);
        stuck.forget(PLACE);
        lose(PLACE);

        assertThat(stuck.remove(first, PLACE)).isFalse();

        assertThat(stuck.refusal(PLACE)).isPresent();
    }

    @Test
    void noMoreThreadsAreLostThanABusAndANodeMayCost() {
        for (int slot = 0; slot < 8; slot++) {
            assertThat(stuck.refusal("0000:3b:0" + slot + ".0")).isEmpty();
            lose("0000:3b:0" + slot + ".0");
        }
        assertThat(stuck.refusal("0000:3b:10.0")).contains("is not looked at: 8 others of its bus do not answer");
        for (int bus = 10; bus < 34; bus++) {
            assertThat(stuck.refusal("0000:" + bus + ":00.0")).isEmpty();
            lose("0000:" + bus + ":00.0");
        }
        assertThat(stuck.refusal("0000:40:00.0")).contains("is not looked at: 32 looks at others have not returned");
    }

    @Test
    void fileSystemsThatDoNotAnswerCostNeitherFunctionsNorOtherFilesAnything() {
        for (int mount = 0; mount < 8; mount++) {
            assertThat(stuck.refusal("/mnt/" + mount)).isEmpty();
            lose("/mnt/" + mount);
        }

        assertThat(stuck.refusal("/mnt/8")).contains("is not looked at: 8 other file systems do not answer");
        assertThat(stuck.refusal("files")).isEmpty();
        assertThat(stuck.refusal(PLACE)).isEmpty();
    }
}
