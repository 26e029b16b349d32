package io.edgeplug.model.device;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The families of devices, each with its word in the configuration. */
public enum Kind {
    /** An SR-IOV virtual function. */
    VF,
    /** A sub-function of a PF, which is no PCI function. */
    SF,
    /** A whole function of a network adapter. */
    NIC,
    /** A region of an FPGA, or the FPGA of a system on chip. */
    FPGA,
    /** An RDMA device. */
    HCA,
    /** Any other PCI function. */
    PCI,
    /** A file or device node. */
    PATH,
    /** A USB device with all its interfaces. */
    USB;

    /** The kind with that word. */
    public static Optional<Kind> parse(String word) {
        return Stream.of(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }

    /** The word in the configuration, such as {@code vf}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
