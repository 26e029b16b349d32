package io.edgeplug.soak;

import java.util.Random;

/**
 * One way of making inputs, which takes its turn so many times in a run.
 *
 * @param name as {@code -Dsoak.only} takes it
 * @param turns how often
 */
record Production(String name, int turns, Body body) {

    /** Attacks, and says with how many inputs. */
    interface Body {
        int attack(Attack attack, Random random) throws Exception;
    }
}
