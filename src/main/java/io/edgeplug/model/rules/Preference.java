package io.edgeplug.model.rules;

/** How the devices of one container are spread over PFs, as far as their NUMA nodes leave a choice. */
public enum Preference {
    /** On as few PFs as possible, so that whole PFs stay free for others. */
    PACK,
    /** On as many PFs as possible, so that the failure or load of one PF does not hit all devices of the container. */
    SPREAD
}
