package io.edgeplug.box;

/**
 * A PCI card that can be plugged into a running node.
 *
 * @param id its ID in QEMU
 * @param model its model in QEMU
 * @param slot QEMU's name of the port that it goes into
 * @param address its PCI address in the node
 */
record Card(String id, String model, String slot, String address) {

    /** An SR-IOV network adapter with up to 7 VFs, in the slot that is near no NUMA node. */
    static Card igb() {
        return new Card("igb-plugged", "igb", "hp0", "0000:01:00.0");
    }

    /** The adapter of NUMA node 1, which is plugged in when the node starts. */
    static Card secondAdapter() {
        return new Card("igb1", "igb", "port1", Installation.PF1);
    }

    /** The stand-in FPGA, in the slot of NUMA node 1. */
    static Card fpga() {
        return new Card("fpga-plugged", "edu", "hp1", "0000:42:00.0");
    }

    /** The stand-in FPGA, in the slot near no NUMA node. It has no region there if its module is told so. */
    static Card wholeFpga() {
        return new Card("whole-fpga-plugged", "edu", "hp0", "0000:01:00.0");
    }

    /** An adapter that leads to this machine, in the slot of NUMA node 1. */
    static Card network() {
        return new Card("network", "igb", "hp1", "0000:42:00.0");
    }
}
