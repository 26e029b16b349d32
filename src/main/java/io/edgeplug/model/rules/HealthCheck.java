package io.edgeplug.model.rules;

import io.edgeplug.model.device.Kind;
import io.edgeplug.system.flow.Worded;

/** A key of {@code [class.health]} that asks for one state, in the order in which problems are reported. */
public enum HealthCheck implements Worded {
    /** A driver is bound. */
    DRIVER("bound"),
    /** The device nodes for its container exist. */
    NODES("present"),
    /** All its interfaces in sight have a carrier, and its RDMA ports are active. */
    LINK("up"),
    /** All interfaces of its PF have a carrier. */
    PF_LINK("up"),
    /** No port of an FPGA region has an error. */
    PORT_ERRORS("none"),
    /** The count of fatal PCI Express errors does not rise. */
    AER_FATAL("none");

    private final String wanted;

    HealthCheck(String wanted) {
        this.wanted = wanted;
    }

    /** The only value that the key can have. */
    public String wanted() {
        return wanted;
    }

    /** Whether devices of that kind can have the state at all. */
    public boolean concerns(Kind kind) {
        return switch (kind) {
            case VF, SF -> this != PORT_ERRORS;
            case NIC, HCA -> this != PORT_ERRORS && this != PF_LINK;
            case FPGA -> this != LINK && this != PF_LINK;
            case PCI -> this == DRIVER || this == NODES || this == AER_FATAL;
            case PATH, USB -> false;
        };
    }
}
