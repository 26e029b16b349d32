package io.edgeplug.prepare;

import io.edgeplug.device.Device;
import io.edgeplug.device.Step;
import io.edgeplug.device.Template;
import io.edgeplug.device.TemplateWord;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.linux.ProcessGroup;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** The steps that other programs do: the administrator's, a vendor's, and iproute2 for what a PF says of its VFs. */
final class Programs {

    private static final String IP = "sbin/ip";
    private static final Duration IP_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAC_BYTES = 6;

    private final Sysfs sysfs;
    private final Consumer<PrepareEvent> told;
    private final SecureRandom random = new SecureRandom();

    Programs(Sysfs sysfs, Consumer<PrepareEvent> told) {
        this.sysfs = sysfs;
        this.told = told;
    }

    /** Runs a program, and fails if it does. */
    String run(Device device, Step.Command command, Map<TemplateWord, String> names)
            throws IOException, TimeoutException, InterruptedException {
        List<String> argv = new ArrayList<>();
        for (Template template : command.argv()) {
            argv.add(template.fill(device, names)
                    .orElseThrow(() -> new IOException("\"" + template + "\" names what this device does not have")));
        }
        run(device, argv, command.timeout());
        return "";
    }

    /** Puts back what the PF says of its VF; see ip-link(8). */
    String settings(Device device, Step.Vf settings) throws IOException, TimeoutException, InterruptedException {
        if (!(device instanceof VirtualFunction vf)) {
            throw new IOException("it is no VF");
        }
        String pf = vf.physicalNetNames().stream()
                .findFirst()
                .orElseThrow(() -> new IOException("its PF " + vf.physicalFunction() + " has no network interface"));
        List<String> argv = new ArrayList<>(List.of(sysfs.locate(IP).toString(), "link", "set", "dev", pf));
        argv.addAll(List.of("vf", String.valueOf(vf.index())));
        Optional<String> mac = settings.mac().map(text -> text.equals(Step.Vf.RANDOM) ? randomMac() : text);
        mac.ifPresent(address -> argv.addAll(List.of("mac", address)));
        settings.vlan().ifPresent(vlan -> argv.addAll(List.of("vlan", String.valueOf(vlan))));
        settings.minRate().ifPresent(rate -> argv.addAll(List.of("min_tx_rate", String.valueOf(rate))));
        settings.maxRate().ifPresent(rate -> argv.addAll(List.of("max_tx_rate", String.valueOf(rate))));
        settings.spoofCheck().ifPresent(on -> argv.addAll(List.of("spoofchk", on ? "on" : "off")));
        settings.trust().ifPresent(on -> argv.addAll(List.of("trust", on ? "on" : "off")));
        settings.linkState().ifPresent(state -> argv.addAll(List.of("state", state)));
        run(device, argv, IP_TIMEOUT);
        return "VF " + vf.index() + " of " + pf
                + mac.map(address -> ", " + address).orElse("");
    }

    private void run(Device device, List<String> argv, Duration timeout)
            throws IOException, TimeoutException, InterruptedException {
        AtomicReference<String> last = new AtomicReference<>();
        int status = ProcessGroup.run(argv, Map.of("EDGEPLUG_DEVICE", device.id()), timeout, line -> {
            last.set(line);
            told.accept(new PrepareEvent.Output(device, line));
        });
        if (status != 0) {
            String line =
                    Optional.ofNullable(last.get()).map(text -> ": " + text).orElse("");
            throw new IOException(argv.getFirst() + ": exit status " + status + line);
        }
    }

    /** Local, of one station. */
    private String randomMac() {
        byte[] address = new byte[MAC_BYTES];
        random.nextBytes(address);
        address[0] = (byte) ((address[0] & 0xfc) | 0x02);
        return HexFormat.ofDelimiter(":").formatHex(address);
    }
}
