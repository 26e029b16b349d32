package io.edgeplug.model.rules;

/**
 * What concerns only devices that pods claim.
 *
 * @param choices what claims may choose
 * @param evict whether a pod must end if its device breaks
 * @param isPreparedBeforeBinding whether devices are prepared before the scheduler binds the pod that claims them
 */
public record ClaimRules(ClaimChoices choices, boolean evict, boolean isPreparedBeforeBinding) {

    /** Those of a class without such keys. */
    public static final ClaimRules NONE = new ClaimRules(ClaimChoices.NONE, false, false);
}
