package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.supply.InterfaceWorld;
import io.edgeplug.system.kernel.IpProgram;
import java.nio.file.Path;

/**
 * Prepares a claim that chooses the name and the addresses of its interface, which is a real one. Prints what came of it.
 * Threads of the driver serve other tests too, so all of this is in the network namespace of a process of its own.
 */
final class ClaimedInterfacesProcess {

    private static final String CLASSES = InterfaceWorld.CLASS.replace("hand_over = \"cdi\"", "api = \"dra\"") + """
            [class.interface]
            addresses = ["192.0.2.7/24"]
            [class.claims]
            interface_name = true
            networks = ["198.51.100.0/24", "2001:db8::/64"]
            """;

    private ClaimedInterfacesProcess() {}

    /** Takes the interface out of the class. The claim has it, and when it comes from the pod it has another name. */
    private static void reload(DraNode node, int index) throws Exception {
        node.configure(InterfaceWorld.CLASS.replace("hand_over = \"cdi\"", "api = \"dra\""));
        node.reload();
        System.out.println(node.kubelet.register().getName());
        IpProgram.run("link set ens1f0v0 name back7");
        InterfaceWorld.show(node.node, index, "back7");
        node.node.announce("change", new PciAddress(0, 0x3b, 1, 0));
        Seen.untilSo(
                "the specification names the interface",
                () -> node.specification("mine").contains("\"back7\""));
        System.out.println("after the reload: " + node.specification("mine").replaceAll("\\s+", ""));
    }

    /** Has its files in the directory that the argument names. */
    public static void main(String[] args) throws Exception {
        IpProgram.run("link set lo up");
        int index = IpProgram.add("ens1f0v0");
        IpProgram.run("link set ens1f0v0 address 02:00:00:00:00:01");
        try (DraNode node = DraNode.open(
                Path.of(args[0]), DemoNode.tree(), CLASSES, server -> server.claims.rights.addAll(ClaimObjects.ROLE))) {
            InterfaceWorld.show(node.node, index, "ens1f0v0");
            System.out.println(node.kubelet.register().getName());
            node.server.put(TestClaims.configured(
                    "mine", DraNode.VF0_NAME, TestClaims.config("[]", TestClaims.parameters("""
                            "interface":{"name":"data5","addresses":["198.51.100.9/24","2001:db8::9/64"]}"""))));
            System.out.println(node.kubelet.prepare("mine"));
            System.out.println(node.specification("mine").replaceAll("\\s+", ""));
            System.out.println(IpProgram.run("address show dev ens1f0v0"));
            JsonObject told =
                    node.server.awaitClaim("mine", claim -> claim.toString().contains("networkData"));
            System.out.println(told);
            reload(node, index);
        }
        // Threads of a library may go on.
        System.exit(0);
    }
}
