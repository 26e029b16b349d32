package io.edgeplug.model.device;

import java.util.Optional;

/**
 * How the node itself uses a function, apart from its pods.
 *
 * @param text what the node has, for a person, as the object of "has": {@code the default route on br-ex, above ens1f0};
 *     empty if it has nothing
 */
public record NodeUse(Level level, String text) {

    /** The node does not use it. */
    public static final NodeUse NONE = new NodeUse(Level.NONE, "");

    /** Whether a class offers a function. */
    public enum Offer {
        NO,
        WITH_NOTE,
        YES
    }

    /**
     * The uses, from the least to the most, and what follows from each. If it is not known which of two it is, it is the
     * one that means more.
     */
    public enum Level {
        NONE(Offer.YES, Offer.YES, true),
        /** It has an address or a route, or an interface above it does. */
        ADDRESS(Offer.WITH_NOTE, Offer.YES, false),
        /** It is a port of a bond, bridge, team or switch, or an interface above it is. */
        PORT(Offer.WITH_NOTE, Offer.YES, false),
        /** The node would lose its default route without it, for IPv4 or IPv6. */
        ROUTE(Offer.NO, Offer.WITH_NOTE, false);

        private final Offer alone;
        private final Offer beside;
        private final boolean mayChange;

        Level(Offer alone, Offer beside, boolean mayChange) {
            this.alone = alone;
            this.beside = beside;
            this.mayChange = mayChange;
        }

        /** Whether it is offered to containers that may take its interface. */
        public Offer alone() {
            return alone;
        }

        /** Whether it is offered to containers that leave its interface to the node, such as those with RDMA. */
        public Offer beside() {
            return beside;
        }

        /** Whether it may be removed, reset, or bound to another driver. */
        public boolean mayChange() {
            return mayChange;
        }
    }

    /** The use of a function whose interfaces or routes cannot be read. */
    public static NodeUse unknown(String problem) {
        return new NodeUse(Level.ROUTE, "a use that is not known: " + problem);
    }

    /** Why the function must be left as it is; empty if it may be removed, reset, or bound to another driver. */
    public Optional<String> objection() {
        return level.mayChange() ? Optional.empty() : Optional.of("the node uses it itself: it has " + text);
    }

    /** The use that means more; this one if they are equal. */
    public NodeUse or(NodeUse other) {
        return other.level.compareTo(level) > 0 ? other : this;
    }
}
