package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.model.rules.Api;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.Template;
import io.edgeplug.system.kernel.LinkAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the {@code [class.interface]} table of a class: what is done with the network interfaces of its devices. */
record InterfaceReader(Table classTable, @Nullable Kind kind) {

    private static final String TABLE = "interface";
    private static final String NAME = "name";
    private static final String MTU = "mtu";
    private static final String ADDRESSES = "addresses";
    private static final String ADDRESSES_FILE = "addresses_file";

    private static final String USUAL_NAME = "net1";

    /** The interface of the pod's own network, to which Kubernetes connects all pods. */
    private static final String OF_POD = "eth0";

    /** Those of IPv4 and of Ethernet; a driver may have narrower limits. */
    private static final int LEAST_MTU = 68;

    private static final int MOST_MTU = 65_535;

    /** The kinds of devices that may have a network interface. */
    static final Set<Kind> KINDS = Set.of(Kind.VF, Kind.NIC, Kind.SF, Kind.HCA);

    /** The step that hands the interface over; empty if it stays on the node. */
    Optional<Step.Interface> read(HandOver handOver, Api api, Sharing sharing, Recipe recipe) {
        Optional<Table> found = classTable.table(TABLE);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Table table = found.orElseThrow();
        Words.concerns(classTable, TABLE, kind, KINDS);
        if (handOver != HandOver.CDI && api != Api.DRA) {
            classTable.mistake(
                    TABLE,
                    "needs hand_over = \"cdi\": the container runtime moves the interface, and only a CDI specification"
                            + " can tell it to");
        }
        if (sharing.isShared()) {
            classTable.mistake(TABLE, "contradicts shares: an interface can only be in one pod");
        }
        recipe.driver()
                .filter(Vfio::isDriver)
                .ifPresent(driver -> classTable.mistake(
                        TABLE, "contradicts the driver " + driver + " of [class.prepare], which makes no interface"));
        String name = table.string(NAME).flatMap(text -> name(table, text)).orElse(USUAL_NAME);
        OptionalInt mtu = table.integer(MTU, LEAST_MTU, MOST_MTU);
        List<Template> addresses = addresses(table);
        Optional<String> file = table.string(ADDRESSES_FILE)
                .flatMap(text ->
                        Words.matching(table, ADDRESSES_FILE, text, Pattern.compile("/.*"), "an absolute path"));
        if (table.has(ADDRESSES) && table.has(ADDRESSES_FILE)) {
            table.mistake(ADDRESSES_FILE, "contradicts addresses: give the addresses in one of the two places");
        }
        return Optional.of(new Step.Interface(name, mtu, addresses, file));
    }

    private static Optional<String> name(Table table, String text) {
        if (text.equals(OF_POD)) {
            table.mistake(
                    NAME, "\"" + text + "\" is the interface of the pod's own network: choose another name, as net1");
            return Optional.empty();
        }
        return Words.matching(
                table,
                NAME,
                text,
                Step.Interface.NAME,
                "a name of at most 14 characters that ends in a number, as net1: further interfaces of the pod get the"
                        + " next numbers");
    }

    private List<Template> addresses(Table table) {
        List<Template> addresses = new ArrayList<>();
        for (String text : table.strings(ADDRESSES)) {
            Words.template(table, ADDRESSES, text, kind).ifPresent(template -> {
                // Any device has a number where the template has a word, and 1 is one.
                Optional<LinkAddress> example = LinkAddress.parse(text.replaceAll("\\{\\w+}", "1"));
                if (example.filter(LinkAddress::isOfHost).isEmpty()) {
                    table.mistake(
                            ADDRESSES,
                            "\"" + text + "\" is not an address of a host with its prefix, as 192.0.2.7/24 or"
                                    + " 192.0.2.{vf}/24");
                }
                addresses.add(template);
            });
        }
        return addresses;
    }
}
