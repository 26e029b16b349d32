package io.edgeplug.node.prepare;

import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.Template;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.IpProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;

/** Interfaces of functions in a tree of files, and ways to give them to pods. */
abstract class InterfacesCase {

    static final Step.Interface MOVED = new Step.Interface(
            "net1",
            OptionalInt.of(1400),
            List.of(Template.parse("192.0.2.{vf}/24", null), Template.parse("2001:db8::7/64", null)),
            Optional.empty());

    static final Set<String> ALL = Set.of(id(1), id(2), id(3), id(4));

    static final Guest POD = new Guest(Set.of("pod-a"), Set.of("pod-a"));

    @TempDir
    Path root = Path.of("");

    Interfaces interfaces() {
        return new Interfaces(Sysfs.at(root));
    }

    static VirtualFunction vf(int number) {
        return FunctionBuilder.vf(number);
    }

    static String id(int number) {
        return "0000:3b:01." + number;
    }

    /** Has sysfs show an interface of a function, or none while it is in another namespace. */
    void show(int number, String... names) throws Exception {
        for (String name : names) {
            Path index = Files.createDirectories(root.resolve("sys/class/net/" + name))
                    .resolve("ifindex");
            Files.writeString(index, IpProgram.index(name) + "\n");
        }
        IpProgram.show(Files.createDirectories(root.resolve("sys/bus/pci/devices/" + id(number) + "/net")), names);
    }

    int add(int number) throws Exception {
        String name = "ens1f0v" + number;
        int index = IpProgram.add(name);
        IpProgram.run("link set " + name + " address 02:00:00:00:00:0" + number + " up");
        show(number, name);
        return index;
    }

    static String give(Interfaces interfaces, Guest guest, int... numbers) throws Exception {
        TreeMap<String, Guest> guests = new TreeMap<>();
        for (int number : numbers) {
            guests.put(id(number), guest);
        }
        interfaces.expect(guests, ALL, new Recipe(List.of(MOVED), Recipe.USUAL_TIMEOUT));
        StringBuilder done = new StringBuilder();
        for (int number : numbers) {
            done.append(interfaces.give(vf(number), MOVED, KeptFunctions.NONE)).append('\n');
        }
        return done.toString().strip();
    }

    Optional<PodInterface> noted(int number) throws IOException {
        return new InterfaceNotes(Sysfs.at(root)).of(vf(number));
    }
}
