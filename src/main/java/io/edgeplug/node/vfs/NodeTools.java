package io.edgeplug.node.vfs;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.WantedVfs.EswitchMode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The node's programs for settings that sysfs does not have: {@code ip} for the VFs of a PF, {@code devlink} for the
 * eswitch, and {@code systemctl} or {@code modprobe} for the module of a driver.
 *
 * @param root the root directory of the programs; empty if they belong to another kernel than the node's
 */
record NodeTools(Optional<Path> root) {

    static final String IP = "sbin/ip";
    static final String DEVLINK = "sbin/devlink";
    static final String MODPROBE = "sbin/modprobe";
    static final String SYSTEMCTL = "bin/systemctl";

    /** More than the output for 4,096 VFs. */
    private static final int MAX_OUTPUT = 4 << 20;

    /** The limit for a program that only asks the kernel, which may wait for a lock of the PF. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The output of {@code ip} about a PF. */
    record Link(Map<Integer, Step.Vf> settings, Optional<String> permanentAddress) {

        static final Link UNKNOWN = new Link(Map.of(), Optional.empty());
    }

    /** What {@code ip} reports of a PF's interface and its VFs; unknown if {@code ip} is missing or fails. */
    Link link(String net) {
        return ask(NodeTools::link, IP, "-json", "link", "show", "dev", net).orElse(Link.UNKNOWN);
    }

    /** The mode of a PF's eswitch; empty if it has none, or if {@code devlink} does not tell. */
    Optional<EswitchMode> eswitch(PciAddress pf) {
        String handle = "pci/" + pf;
        return ask(answer -> eswitch(answer, handle), DEVLINK, "-j", "dev", "eswitch", "show", handle)
                .flatMap(mode -> Stream.of(EswitchMode.values())
                        .filter(one -> one.word().equals(mode))
                        .findFirst());
    }

    /** What an answer in JSON says; empty if there is no such program, if it fails, or if it has another format. */
    private <T> Optional<T> ask(Function<JsonElement, T> reading, String program, String... arguments) {
        if (root.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(reading.apply(JsonParser.parseString(run(PATIENCE, program, arguments))));
        } catch (IOException
                | JsonParseException
                | IllegalStateException
                | UnsupportedOperationException
                | NumberFormatException
                | NullPointerException
                | ClassCastException e) {
            return Optional.empty();
        }
    }

    /**
     * Runs one of them.
     *
     * @param deadline after which it is killed
     * @return its output
     * @throws IOException if it is missing, fails or takes too long; the message ends with its last line
     */
    String run(Duration deadline, String program, String... arguments) throws IOException {
        Path path = root.orElseThrow(() -> new IOException("/" + program + ": is not run for another node"))
                .resolve(program);
        if (!Files.isExecutable(path)) {
            throw new IOException("/" + program + ": no such program"
                    + (program.equals(IP) || program.equals(DEVLINK) ? ", install iproute2" : ""));
        }
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of(path.toString()), Stream.of(arguments))
                        .toList())
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("LANG", "C.UTF-8");
        builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        Process process = builder.start();
        process.getOutputStream().close();
        AtomicBoolean isLate = new AtomicBoolean();
        CompletableFuture.delayedExecutor(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> {
                    isLate.set(true);
                    process.destroyForcibly();
                });
        String output;
        try (InputStream in = process.getInputStream()) {
            output = new String(in.readNBytes(MAX_OUTPUT), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            // Killing a process also closes its stream.
            if (!isLate.get()) {
                throw e;
            }
            output = "";
        }
        int status = process.onExit().join().exitValue();
        if (status != 0 && isLate.get()) {
            throw new IOException(
                    path.getFileName() + ": took longer than " + deadline.toSeconds() + " s and was ended");
        }
        if (status != 0) {
            String last = output.lines().reduce((before, line) -> line).orElse("exit status " + status);
            throw new IOException(path.getFileName() + ": " + last);
        }
        return output;
    }

    private static String eswitch(JsonElement answer, String handle) {
        return answer.getAsJsonObject()
                .getAsJsonObject("dev")
                .getAsJsonObject(handle)
                .get("mode")
                .getAsString();
    }

    private static Link link(JsonElement answer) {
        JsonArray links = answer.getAsJsonArray();
        JsonObject link = links.isEmpty() ? new JsonObject() : links.get(0).getAsJsonObject();
        Map<Integer, Step.Vf> settings = new HashMap<>();
        for (JsonElement element : elements(link, "vfinfo_list")) {
            JsonObject vf = element.getAsJsonObject();
            number(vf, "vf").ifPresent(index -> settings.put(index, settings(vf)));
        }
        return new Link(settings, text(link, "permaddr"));
    }

    /** The format is that of {@code print_vfinfo} in iproute2's ip/ipaddress.c. */
    private static Step.Vf settings(JsonObject vf) {
        Optional<JsonObject> rates = Optional.ofNullable(vf.getAsJsonObject("rate"));
        int vlan = elements(vf, "vlan_list").stream()
                .flatMap(one -> number(one.getAsJsonObject(), "vlan").stream().boxed())
                .findFirst()
                .orElseGet(() -> number(vf, "vlan").orElse(0));
        return new Step.Vf(
                text(vf, "address").or(() -> text(vf, "mac")),
                OptionalInt.of(vlan),
                bool(vf, "trust"),
                bool(vf, "spoofchk"),
                rates.map(rate -> number(rate, "min_tx")).orElse(OptionalInt.empty()),
                rates.map(rate -> number(rate, "max_tx")).orElse(OptionalInt.empty()),
                text(vf, "link_state"));
    }

    private static List<JsonElement> elements(JsonObject object, String key) {
        List<JsonElement> elements = new ArrayList<>();
        if (object.get(key) instanceof JsonArray array) {
            array.forEach(elements::add);
        }
        return elements;
    }

    private static Optional<String> text(JsonObject object, String key) {
        return Optional.ofNullable(object.get(key)).map(JsonElement::getAsString);
    }

    private static Optional<Boolean> bool(JsonObject object, String key) {
        return Optional.ofNullable(object.get(key)).map(JsonElement::getAsBoolean);
    }

    private static OptionalInt number(JsonObject object, String key) {
        JsonElement value = object.get(key);
        return value == null ? OptionalInt.empty() : OptionalInt.of(value.getAsInt());
    }
}
