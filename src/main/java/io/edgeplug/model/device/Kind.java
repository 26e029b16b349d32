package io.edgeplug.model.device;

import io.edgeplug.system.flow.Worded;

/** The families of devices, each with its word in the configuration. */
public enum Kind implements Worded {
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
    USB
}
