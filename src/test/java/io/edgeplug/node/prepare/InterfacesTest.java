package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.IpProgram;
import io.edgeplug.system.kernel.LinkAddress;
import io.edgeplug.system.kernel.Links;
import io.edgeplug.system.kernel.OtherNamespace;
import io.edgeplug.system.kernel.OwnNamespaces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Interfaces on their way into a pod and back. The kernel's side is real, with pairs of interfaces in place of VFs and another
 * network namespace in place of a pod's. Files say which interface belongs to which function, as sysfs does for VFs.
 */
@ExtendWith(OwnNamespaces.class)
@Timeout(120)
@NeedsRoot("is in namespaces of its own")
final class InterfacesTest extends InterfacesCase {

    /** What is noted of the first VF, with the addresses of {@link #MOVED}. */
    private static PodInterface inPod(Optional<String> nodeName) {
        List<LinkAddress> addresses = Stream.of("192.0.2.1/24", "2001:db8::7/64")
                .map(text -> LinkAddress.parse(text).orElseThrow())
                .toList();
        return new PodInterface("net1", nodeName, "02:00:00:00:00:01", addresses);
    }

    @Test
    void interfaceGoesIntoAPodWithItsSettingsAndComesBackAsItWas() throws Exception {
        int index = add(1);
        Links.Link before = Links.read(index);
        assertThat(give(interfaces(), POD, 1)).isEqualTo("ens1f0v1 goes into the pod as net1");
        assertThat(noted(1)).contains(inPod(Optional.of("ens1f0v1")));
        assertThat(IpProgram.run("address show dev ens1f0v1"))
                .contains("mtu 1400", "192.0.2.1/24", "2001:db8::7/64", "state DOWN");

        try (OtherNamespace pod = new OtherNamespace()) {
            pod.take("ens1f0v1", "net1");
            show(1);
            assertThat(noted(1)).contains(inPod(Optional.empty()));
            // The pod may do with it what it likes.
            pod.ip("link property add dev net1 altname ens1f0v2");
            pod.ip("link set net1 name evil0 address 02:00:00:00:66:66 mtu 1300");

            assertThat(give(interfaces(), POD, 1)).isEqualTo("is in the pod already, as net1");
            pod.giveBack("evil0");
        }
        show(1, "evil0");

        assertThat(interfaces().takeBack(vf(1), KeptFunctions.NONE))
                .contains("its network interface is ens1f0v1 again");
        assertThat(Links.read(index)).isEqualTo(before);
        assertThat(noted(1)).isEmpty();
        show(1, "ens1f0v1");
        assertThat(interfaces().takeBack(vf(1), KeptFunctions.NONE)).isEmpty();
    }

    @Test
    void startThatFailedBeforeTheRuntimeMovedItBeginsAnewWithWhatWasBefore() throws Exception {
        int index = add(1);
        Links.Link before = Links.read(index);
        give(interfaces(), POD, 1);
        // Another process of edgeplug, after a crash.
        assertThat(give(interfaces(), POD, 1)).contains("as net1");
        assertThat(IpProgram.run("address show dev ens1f0v1")).contains("192.0.2.1/24", "mtu 1400");
        interfaces().takeBack(vf(1), KeptFunctions.NONE);
        assertThat(Links.read(index)).isEqualTo(before);
    }

    /** As runc does if the pod has an interface of that name, or IPv6 is off in the pod. */
    @ParameterizedTest
    @CsvSource({"ens1f0v1, it is still called ens1f0v1 there", "net1, no address"})
    void interfaceThatTheRuntimeLeftHalfReadyInThePodIsRefused(String inside, String reason) throws Exception {
        add(1);
        give(interfaces(), POD, 1);
        Recipe recipe = new Recipe(List.of(MOVED), Recipe.USUAL_TIMEOUT);
        Interfaces next = interfaces();
        try (OtherNamespace pod = new OtherNamespace()) {
            pod.takeHalf("ens1f0v1", inside);
            show(1);
            next.expect(new TreeMap<>(Map.of(id(1), POD)), ALL, recipe);
            assertThatThrownBy(() -> next.staysInPod(vf(1), recipe))
                    .hasMessageContaining("failed then")
                    .hasMessageContaining(reason);
            pod.ip("address add 192.0.2.1/24 dev " + inside);
            pod.ip("link set " + inside + " up");
            assertThat(next.staysInPod(vf(1), recipe)).isTrue();
            // The pod takes its own interface down.
            pod.ip("link set " + inside + " down");
            pod.ip("link set " + inside + " name own0");
            assertThat(next.staysInPod(vf(1), recipe)).isTrue();
        }
    }

    @Test
    void newSandboxOfThePodGetsTheInterfaceUnderItsPresentName() throws Exception {
        int index = add(1);
        give(interfaces(), POD, 1);
        // The kernel returns it under the name that it had inside, down and without addresses.
        Links.setUp(index, false);
        Links.rename(index, "dev7");
        for (var address : Links.read(index).addresses()) {
            Links.remove(index, address);
        }
        show(1, "dev7");
        Interfaces second = interfaces();
        second.expect(new TreeMap<>(Map.of(id(1), POD)), ALL, new Recipe(List.of(MOVED), Recipe.USUAL_TIMEOUT));
        // sysfs follows the new name; here, the first try finds the old one.
        assertThatThrownBy(() -> second.give(vf(1), MOVED, KeptFunctions.NONE)).hasMessageContaining("renamed");
        show(1, "ens1f0v1");
        assertThat(second.give(vf(1), MOVED, KeptFunctions.NONE)).isEqualTo("ens1f0v1 goes into the pod as net1");
        assertThat(IpProgram.run("address show dev ens1f0v1")).contains("192.0.2.1/24");
    }

    @Test
    void interfacesOfOnePodHaveTheNextNamesAndThoseOfAnotherTheFirst() throws Exception {
        add(1);
        add(2);
        add(3);
        Guest other = new Guest(Set.of("pod-b"), Set.of("pod-b"));
        assertThat(give(interfaces(), POD, 1, 2))
                .contains("ens1f0v1 goes into the pod as net1", "ens1f0v2 goes into the pod as net2");
        assertThat(give(interfaces(), other, 3)).contains("as net1");
        // A second claim of the first pod.
        add(4);
        assertThat(give(interfaces(), new Guest(Set.of("claim"), Set.of("pod-a")), 4))
                .contains("as net3");
    }

    /** A static pod comes back with its UID. */
    @Test
    void startThatFailedKeepsNoNameFromTheNextLifeOfItsPod() throws Exception {
        add(1);
        add(2);
        Interfaces interfaces = interfaces();
        interfaces.expect(new TreeMap<>(Map.of(id(1), POD)), ALL, new Recipe(List.of(MOVED), Recipe.USUAL_TIMEOUT));
        assertThat(interfaces.takeBack(vf(1), KeptFunctions.NONE)).isEmpty();
        assertThat(give(interfaces, POD, 2)).contains("as net1");
    }

    /** As the scheduler does if the first one fails before the pod is bound. */
    @Test
    void podThatGetsAnotherDeviceInPlaceOfOneThatFailedHasItsInterfaceUnderTheSameName() throws Exception {
        add(1);
        add(2);
        add(3);
        Recipe recipe = new Recipe(List.of(MOVED), Recipe.USUAL_TIMEOUT);
        Interfaces interfaces = interfaces();
        // One start failed before the note, and one after it.
        interfaces.expect(new TreeMap<>(Map.of(id(1), POD)), Set.of(id(1)), recipe);
        assertThat(give(interfaces(), POD, 3)).contains("as net1");

        interfaces.expect(new TreeMap<>(Map.of(id(2), POD)), Set.of(id(2)), recipe);
        assertThat(interfaces.give(vf(2), MOVED, KeptFunctions.NONE)).contains("as net1");
    }

    @Test
    void interfaceThatSomebodyElseHasMovedIsLeftAlone() throws Exception {
        add(1);
        show(1);
        assertThatThrownBy(() -> give(interfaces(), POD, 1)).hasMessageContaining("edgeplug has not given it to a pod");
        Files.delete(root.resolve("sys/bus/pci/devices/" + id(1) + "/net"));
        assertThatThrownBy(() -> give(interfaces(), POD, 1)).hasMessageContaining("made no network interface");
    }

    @Test
    void interfaceInThePodOfAnotherUserIsRefused() throws Exception {
        add(1);
        give(interfaces(), POD, 1);
        show(1);
        assertThatThrownBy(() -> give(interfaces(), new Guest(Set.of("pod-b"), Set.of("pod-b")), 1))
                .hasMessageContaining("of the pod that had it before");
    }

    /** udev renames an interface that has just been made or has come back, and notes it then. */
    @Test
    void interfaceIsLeftAloneUntilUdevHasNamedIt() throws Exception {
        int index = add(1);
        Path noted = Files.createDirectories(root.resolve("run/udev/data")).resolve("n" + index);
        Thread udev = Thread.ofPlatform().start(() -> {
            try {
                IpProgram.run("link set ens1f0v1 name enp59s1");
                show(1, "enp59s1");
                Files.createFile(noted);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(give(interfaces(), POD, 1)).isEqualTo("enp59s1 goes into the pod as net1");
        udev.join();
    }

    @Test
    void interfaceThatCannotBeRestoredIsToldAndTriedAgain() throws Exception {
        int index = add(1);
        give(interfaces(), POD, 1);
        Links.rename(index, "net1");
        show(1, "net1");
        // The name was given to another interface meanwhile. Its other settings are restored anyway.
        IpProgram.run("link set p-ens1f0v1 name ens1f0v1");
        assertThatThrownBy(() -> interfaces().takeBack(vf(1), KeptFunctions.NONE))
                .hasMessage("its network interface cannot be called ens1f0v1 again: File exists");
        assertThat(Links.read(index).mtu()).isEqualTo(1500);
        IpProgram.run("link set ens1f0v1 name p-ens1f0v1");
        show(1, Links.read(index).name());
        assertThat(interfaces().takeBack(vf(1), KeptFunctions.NONE)).isPresent();
        assertThat(Links.read(index).name()).isEqualTo("ens1f0v1");
    }

    /** Its card was replaced, or its PF has made all VFs anew. */
    @Test
    void interfaceThatWasMadeMeanwhileStaysAsItIs() throws Exception {
        int index = add(1);
        give(interfaces(), POD, 1);
        Path net = root.resolve("sys/bus/pci/devices/" + id(1) + "/net");
        Files.move(net, net.resolveSibling("old"));
        show(1, "ens1f0v1");
        // The runtime must not move it either, since nobody has prepared it.
        assertThat(noted(1)).contains(inPod(Optional.empty()));
        assertThat(interfaces().takeBack(vf(1), KeptFunctions.NONE))
                .contains("its network interface is another one than its last pod had, so nothing is restored");
        assertThat(Links.read(index).mtu()).isEqualTo(1400);
        assertThat(noted(1)).isEmpty();
    }

    @Test
    void addressesOfAFileAreThoseOfTheDevice() throws Exception {
        int index = add(1);
        Files.createDirectories(root.resolve("etc/edgeplug"));
        Path file = root.resolve("etc/edgeplug/net");
        Step.Interface listed =
                new Step.Interface("net1", OptionalInt.empty(), List.of(), Optional.of("/etc/edgeplug/net"));
        Interfaces interfaces = interfaces();
        interfaces.expect(new TreeMap<>(Map.of(id(1), POD)), ALL, new Recipe(List.of(listed), Recipe.USUAL_TIMEOUT));

        Files.writeString(file, "0000:3b:01.0 192.0.2.10/24\n");
        assertThatThrownBy(() -> interfaces.give(vf(1), listed, KeptFunctions.NONE))
                .hasMessage("it has no line in /etc/edgeplug/net; add one: DEVICE ADDRESS/PREFIX ...");
        Files.writeString(file, "# comment\n0000:3b:01.1 192.0.2.300/24\n");
        assertThatThrownBy(() -> interfaces.give(vf(1), listed, KeptFunctions.NONE))
                .hasMessageStartingWith("/etc/edgeplug/net: line 2: \"192.0.2.300/24\" is not an address");
        assertThat(noted(1)).isEmpty();
        Files.writeString(file, "0000:3b:01.1 192.0.2.11/24 2001:db8::11/64 # two\n");
        interfaces.give(vf(1), listed, KeptFunctions.NONE);
        assertThat(Links.read(index).addresses()).hasSize(2);
    }
}
