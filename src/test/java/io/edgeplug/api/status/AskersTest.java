package io.edgeplug.api.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.rpc.RpcCaller;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who must go where more have asked than there is room for. */
final class AskersTest {

    private static final int MANY = 1001;
    private static final int ONE = 1002;

    private final Askers askers = new Askers();
    private final List<String> hungUpOn = new ArrayList<>();

    @Test
    void oldestOfTheUserWithTheMostUnreadAnswersGoes() {
        answered("patient", ONE);
        for (int i = 1; i < Askers.MAX; i++) {
            answered("deaf " + i, MANY);
        }
        assertThat(hungUpOn).isEmpty();

        answered("newcomer", ONE);
        assertThat(hungUpOn).containsExactly("deaf 1");

        answered("another", MANY);
        assertThat(hungUpOn).containsExactly("deaf 1", "deaf 2");
    }

    @Test
    void oldestOfAllGoesWhereEachUserHasOne() {
        for (int i = 0; i < Askers.MAX; i++) {
            answered("deaf " + i, MANY + i);
        }

        answered("newcomer", 0);

        assertThat(hungUpOn).containsExactly("deaf 0");
    }

    @Test
    void whoHasNotBeenAnsweredYetStaysAndTheNewcomerIsRefused() {
        for (int i = 0; i < Askers.MAX; i++) {
            assertThat(askers.enter(asker("waiting " + i, MANY + i))).isTrue();
        }

        assertThat(askers.enter(asker("newcomer", 0))).isFalse();
        assertThat(hungUpOn).isEmpty();
    }

    @Test
    void whoHasReadTheAnswerMakesRoom() {
        List<Askers.Asker> all = new ArrayList<>();
        for (int i = 0; i < Askers.MAX; i++) {
            all.add(answered("reader " + i, MANY));
        }
        askers.leave(all.getLast());

        assertThat(askers.enter(asker("newcomer", ONE))).isTrue();
        assertThat(hungUpOn).isEmpty();
    }

    /** Its thread waits for the answer all the same. */
    @Test
    void whoHangsUpBeforeTheAnswerMakesRoomOnceThatIsWorkedOut() {
        List<Askers.Asker> all = new ArrayList<>();
        for (int i = 0; i < Askers.MAX; i++) {
            all.add(asker("gone " + i, MANY));
            assertThat(askers.enter(all.getLast())).isTrue();
            askers.leave(all.getLast());
        }
        assertThat(askers.enter(asker("newcomer", ONE))).isFalse();

        askers.noteAnswer(all.getFirst());

        assertThat(askers.enter(asker("newcomer", ONE))).isTrue();
        assertThat(hungUpOn).isEmpty();
    }

    private Askers.Asker answered(String name, int uid) {
        Askers.Asker asker = asker(name, uid);
        assertThat(askers.enter(asker)).isTrue();
        askers.noteAnswer(asker);
        return asker;
    }

    private Askers.Asker asker(String name, int uid) {
        return new Askers.Asker(new RpcCaller(7, uid, () -> hungUpOn.add(name)));
    }
}
