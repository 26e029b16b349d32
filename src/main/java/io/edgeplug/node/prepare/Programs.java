package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.Template;
import io.edgeplug.model.rules.TemplateWord;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.programs.Program;
import io.edgeplug.system.programs.ProgramLimits;
import io.edgeplug.system.programs.RunningProgram;
import io.edgeplug.system.programs.Supervisor;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The steps that run programs: the administrator's, a vendor's, and iproute2 for the settings that a PF has for its VF.
 */
record Programs(
        Sysfs sysfs,
        Exclusion exclusion,
        RunningCommands commands,
        Supervisor supervisor,
        Consumer<PrepareEvent> told) {

    private static final String IP = "sbin/ip";
    private static final Duration IP_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAC_BYTES = 6;

    /** Runs a program. If the program fails, the step fails. */
    String run(Device device, Step.Command command, Map<TemplateWord, String> names)
            throws IOException, TimeoutException, InterruptedException {
        run(device, argv(device, command, names), command.timeout(), command.limits());
        return "";
    }

    /** The program that would run. */
    String plan(Device device, Step.Command command) throws IOException {
        List<String> argv = argv(device, command, Map.of());
        check(argv.getFirst());
        return String.join(" ", argv);
    }

    private static List<String> argv(Device device, Step.Command command, Map<TemplateWord, String> names)
            throws IOException {
        List<String> argv = new ArrayList<>();
        for (Template template : command.argv()) {
            String argument = template.fill(device, names)
                    .orElseThrow(() -> new IOException("\"" + template + "\" names what this device does not have"));
            // A pod can rename the interface of its VF, and the name stays when the VF comes back.
            if (argument.startsWith("-") && !template.text().startsWith("-")) {
                throw new IOException("\"" + template + "\" would be \"" + argument
                        + "\", which the program would take for an option");
            }
            argv.add(argument);
        }
        return argv;
    }

    /** Sets the PF's settings of its VF; see ip-link(8). */
    String settings(Device device, Step.Vf settings) throws IOException, TimeoutException, InterruptedException {
        Optional<String> mac = settings.mac().map(text -> text.equals(Step.Vf.RANDOM) ? randomMac() : text);
        List<String> argv = new ArrayList<>(List.of(sysfs.locate(IP).toString()));
        argv.addAll(arguments(device, settings.withMac(mac.orElse(null))));
        run(device, argv, IP_TIMEOUT, ProgramLimits.NONE);
        return mac.filter(address -> !settings.mac().equals(mac)).orElse("");
    }

    /** The call of {@code ip} that would be made, with a word for a random address. */
    String planSettings(Device device, Step.Vf settings) throws IOException {
        check("/" + IP);
        return "ip " + String.join(" ", arguments(device, settings));
    }

    /** Checks that the node has the program, and that only root can change it. */
    private void check(String program) throws IOException {
        Optional<String> problem =
                sysfs.isCaptured() ? Optional.empty() : Program.problem(sysfs.locate(program.substring(1)));
        if (problem.isPresent()) {
            throw new IOException(program + ": " + problem.orElseThrow());
        }
    }

    private static List<String> arguments(Device device, Step.Vf settings) throws IOException {
        if (!(device instanceof VirtualFunction vf)) {
            throw new IOException("it is no VF");
        }
        String pf = vf.physicalNetNames().stream()
                .findFirst()
                .orElseThrow(() -> new IOException("its PF " + vf.physicalFunction() + " has no network interface"));
        return IpLink.settings(pf, vf.index(), settings);
    }

    private void run(Device device, List<String> argv, Duration timeout, ProgramLimits limits)
            throws IOException, TimeoutException, InterruptedException {
        Program program = new Program(Program.Purpose.PREPARE, device.id(), argv, timeout, limits);
        // Earlier steps that change the function are done, and later ones have not begun.
        List<Exclusion.Claim> claims = exclusion.claims(device, List.of(), false);
        Supervisor.End end = supervisor.run(
                program, line -> told.accept(new PrepareEvent.Output(device, line)), new Supervisor.Witness() {
                    @Override
                    public void begins(RunningProgram running) throws IOException {
                        commands.remember(program, running, claims);
                    }

                    @Override
                    public void ended() throws IOException {
                        commands.forget(program);
                    }
                });
        if (end.status() != 0) {
            throw new IOException(argv.getFirst() + ": " + end.text()
                    + end.last().map(text -> ": " + text).orElse(""));
        }
    }

    /** A locally administered unicast address. */
    private String randomMac() {
        byte[] address = new byte[MAC_BYTES];
        // The generator is made here because it loads the JDK's security providers, which a start does not need.
        new SecureRandom().nextBytes(address);
        address[0] = (byte) ((address[0] & 0xfc) | 0x02);
        return HexFormat.ofDelimiter(":").formatHex(address);
    }
}
