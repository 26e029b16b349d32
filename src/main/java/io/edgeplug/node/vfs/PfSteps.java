package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.node.prepare.IpLink;
import io.edgeplug.node.prepare.PciBinding;
import io.edgeplug.node.scan.PhysicalFunctionScan;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Condition;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of one PF. Each step looks up the interface by its address, because its name changes with the eswitch
 * and when udev renames it.
 */
final class PfSteps {

    private static final String DRIVERS = "sys/bus/pci/drivers/";

    private final Sysfs sysfs;
    private final NodeTools tools;
    private final VfsDeadlines deadlines;
    private final PciAddress pf;
    private final String directory;

    PfSteps(Sysfs sysfs, NodeTools tools, VfsDeadlines deadlines, PciAddress pf) {
        this.sysfs = sysfs;
        this.tools = tools;
        this.deadlines = deadlines;
        this.pf = pf;
        this.directory = "sys/bus/pci/devices/" + pf + "/";
    }

    /**
     * Runs a step, which may have been run before.
     *
     * @throws IOException if it fails; the message says why, and what to do if that is known
     */
    void run(VfsStep step) throws IOException, InterruptedException {
        switch (step) {
            case VfsStep.Autoprobe autoprobe -> autoprobe(autoprobe.isOn());
            case VfsStep.Eswitch eswitch ->
                tools.run(
                        deadlines.step(),
                        NodeTools.DEVLINK,
                        "dev",
                        "eswitch",
                        "set",
                        "pci/" + pf,
                        "mode",
                        eswitch.mode().word());
            case VfsStep.Count count -> count(count.count());
            case VfsStep.Links links -> awaitLinks(links.count());
            case VfsStep.Mtu mtu ->
                onInterface(net -> sysfs.write(directory + "net/" + net + "/mtu", String.valueOf(mtu.bytes())));
            case VfsStep.Settings settings -> ip(net -> IpLink.settings(net, settings.index(), settings.settings()));
            case VfsStep.Guid guid -> {
                String vf = String.valueOf(guid.index());
                ip(net -> List.of("link", "set", "dev", net, "vf", vf, "node_guid", guid.guid()));
                ip(net -> List.of("link", "set", "dev", net, "vf", vf, "port_guid", guid.guid()));
            }
            case VfsStep.Load load -> load(load.driver());
            case VfsStep.Unbind unbind -> unbind(binding(unbind.index()));
            case VfsStep.Bind bind -> bind(binding(bind.index()), bind.driver().orElse(null));
            case VfsStep.Up up -> ip(net -> List.of("link", "set", "dev", net, "up"));
        }
    }

    /** The note is written before the kernel is told, and deleted after the kernel is told the opposite. */
    private void autoprobe(boolean isOn) throws IOException {
        Notes notes = autoprobeNotes(sysfs);
        if (!isOn && !notes.exists(pf.toString())) {
            notes.write(pf.toString(), new Properties());
        }
        sysfs.write(directory + "sriov_drivers_autoprobe", isOn ? "1" : "0");
        if (isOn) {
            notes.delete(pf.toString());
        }
    }

    /**
     * Each note says that edgeplug has turned {@code sriov_drivers_autoprobe} of a PF off. It exists while it is off, so
     * that the next run turns it on if this one is killed. All other traces of a killed run are visible in sysfs.
     */
    static Notes autoprobeNotes(Sysfs sysfs) {
        return new Notes(sysfs, "run/edgeplug/vfs");
    }

    /** While the PF's driver starts or its link changes, some drivers report for a moment that they are busy. */
    private void count(int count) throws IOException, InterruptedException {
        Optional<IOException> busy = tryCount(count);
        if (busy.isPresent() && !Condition.await(() -> tryCount(count).isEmpty(), deadlines.busy())) {
            throw new IOException(
                    busy.orElseThrow().getMessage() + ", for more than "
                            + deadlines.busy().toSeconds()
                            + " s: somebody else makes VFs of it, or its driver does not take the number now",
                    busy.orElseThrow());
        }
    }

    private Optional<IOException> tryCount(int count) throws IOException {
        try {
            sysfs.write(directory + "sriov_numvfs", String.valueOf(count));
            return Optional.empty();
        } catch (IOException e) {
            KernelReason reason = KernelReason.of(e);
            if (reason == KernelReason.BUSY) {
                return Optional.of(e);
            }
            throw reason == KernelReason.NO_ROOM
                    ? new IOException(
                            e.getMessage() + ": the firmware has left no room for so many VFs on the bus or in memory;"
                                    + " ask for fewer, or boot with pci=realloc",
                            e)
                    : e;
        }
    }

    private void awaitLinks(int count) throws IOException, InterruptedException {
        int[] seen = new int[1];
        boolean areThere = Condition.await(
                () -> {
                    while (seen[0] < count && isLinked(seen[0])) {
                        seen[0]++;
                    }
                    return seen[0] == count;
                },
                deadlines.links());
        if (!areThere) {
            throw new IOException("after " + deadlines.links().toSeconds() + " s, " + seen[0] + " of " + count
                    + " VFs are there; the kernel's log may say why");
        }
    }

    /** The kernel makes the VF's link to its PF last; see pci_iov_sysfs_link in its drivers/pci/iov.c. */
    private boolean isLinked(int index) throws IOException {
        Optional<PciAddress> vf = vf(index);
        return vf.isPresent()
                && sysfs.linkName("sys/bus/pci/devices/" + vf.orElseThrow() + "/physfn")
                        .isPresent();
    }

    private Optional<PciAddress> vf(int index) throws IOException {
        return sysfs.linkName(directory + "virtfn" + index).flatMap(PciAddress::parse);
    }

    private PciBinding binding(int index) throws IOException {
        return new PciBinding(
                sysfs, vf(index).orElseThrow(() -> new IOException("VF " + index + " is not there any more")));
    }

    private static void unbind(PciBinding vf) throws IOException {
        if (vf.driver().isPresent()) {
            vf.unbind();
        }
    }

    /**
     * If a VF is bound by the driver's name, the driver reports why it refuses. If the kernel probes drivers, it does
     * not report that.
     */
    private void bind(PciBinding vf, @Nullable String driver) throws IOException, InterruptedException {
        if (!vf.override().equals(Optional.ofNullable(driver))) {
            vf.override(driver == null ? "" : driver);
        }
        if (driver == null) {
            probe(vf);
        } else if (!vf.driver().equals(Optional.of(driver))) {
            unbind(vf);
            take(vf, driver);
        }
    }

    private static void take(PciBinding vf, String driver) throws IOException {
        try {
            vf.bind(driver);
        } catch (IOException e) {
            // udev may have bound it first.
            if (!vf.driver().equals(Optional.of(driver))) {
                boolean needsIommu = driver.startsWith("vfio")
                        && vf.sysfs()
                                .linkName("sys/bus/pci/devices/" + vf.address() + "/iommu_group")
                                .isEmpty();
                throw new IOException(
                        vf.address() + " is not taken by " + driver + ": " + e.getMessage()
                                + (needsIommu
                                        ? "; it has no IOMMU group: switch the IOMMU on in the BIOS and the kernel"
                                        : ""),
                        e);
            }
        }
    }

    /** udev may still be loading the module. */
    private void probe(PciBinding vf) throws IOException, InterruptedException {
        if (vf.driver().isEmpty()) {
            sysfs.write("sys/bus/pci/drivers_probe", vf.address().toString());
        }
        if (!Condition.await(() -> vf.driver().isPresent(), deadlines.busy())) {
            throw new IOException(vf.address() + " is taken by no driver: its module is missing or kept from loading");
        }
    }

    /** If systemd runs, it loads the module, because neither service may load modules itself. */
    private void load(String driver) throws IOException {
        if (sysfs.exists(DRIVERS + driver)) {
            return;
        }
        // In a module's name a dash equals an underscore, and in a unit's name a dash is a slash.
        String module = driver.replace('-', '_');
        if (sysfs.exists("run/systemd/system")) {
            tools.run(deadlines.step(), NodeTools.SYSTEMCTL, "restart", "modprobe@" + module + ".service");
        } else {
            tools.run(deadlines.step(), NodeTools.MODPROBE, "--", module);
        }
        if (!sysfs.exists(DRIVERS + driver)) {
            throw new IOException("there is no driver " + driver + ", and no module of that name makes one");
        }
    }

    private void ip(Function<String, List<String>> arguments) throws IOException, InterruptedException {
        onInterface(net ->
                tools.run(deadlines.step(), NodeTools.IP, arguments.apply(net).toArray(String[]::new)));
    }

    /** Work on an interface by its name. */
    private interface InterfaceWork {
        void run(String net) throws IOException;
    }

    /** If udev has just changed the name, it is looked up once more. */
    private void onInterface(InterfaceWork work) throws IOException, InterruptedException {
        String net = net();
        try {
            work.run(net);
        } catch (IOException e) {
            String now = net();
            if (now.equals(net)) {
                throw e;
            }
            work.run(now);
        }
    }

    /** After a change of the eswitch, the interface is missing for a moment. */
    private String net() throws IOException, InterruptedException {
        Optional<PhysicalFunction.Port> port = port();
        if (port.isEmpty()) {
            boolean unusedInTime = Condition.await(() -> port().isPresent(), deadlines.busy());
            port = port();
        }
        return port.orElseThrow(() -> new IOException("its network interface is not there"))
                .name();
    }

    private Optional<PhysicalFunction.Port> port() throws IOException {
        return new PhysicalFunctionScan(sysfs).port(pf);
    }
}
