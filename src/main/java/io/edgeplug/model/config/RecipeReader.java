package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.Template;
import io.edgeplug.model.rules.TemplateWord;
import io.edgeplug.system.programs.ProgramLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes a recipe of the {@code [class.prepare]} or {@code [class.release]} tables of a class. */
final class RecipeReader {

    private static final String TIMEOUT = "timeout";
    private static final String COMMAND_TIMEOUT = "command_timeout";

    static final String PREPARE = "prepare";
    static final String RELEASE = "release";

    /** The kubelet waits 30 seconds for a call, and the answer must arrive in time. */
    private static final Duration LONGEST = Duration.ofSeconds(28);

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST_COMMAND = Duration.ofHours(1);

    private static final Set<Kind> PCI_KINDS = Set.of(Kind.VF, Kind.NIC, Kind.HCA, Kind.FPGA, Kind.PCI);
    static final Set<Kind> PROGRAMMABLE = Set.of(Kind.FPGA, Kind.PCI);

    static final Pattern DRIVER = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");

    private final @Nullable Kind kind;
    private final ProgramLimits limits;
    private final KeptFunctions kept;
    private final List<Step> steps = new ArrayList<>();

    /**
     * A reader for a class of that kind, if it is given. Its programs have these limits, and its steps leave these functions
     * alone.
     */
    RecipeReader(@Nullable Kind kind, ProgramLimits limits, KeptFunctions kept) {
        this.kept = kept;
        this.limits = limits;
        this.kind = kind;
    }

    /** Reads all tables of that name as one recipe, one after the other. */
    Recipe read(Table classTable, String name) {
        Duration timeout = Recipe.USUAL_TIMEOUT;
        boolean told = false;
        for (Table table : classTable.tables(name)) {
            Optional<Duration> own = table.duration(TIMEOUT, SHORTEST, LONGEST);
            if (own.isPresent() && told) {
                table.mistake(TIMEOUT, "is given twice, but the whole recipe has one timeout");
            }
            told |= own.isPresent();
            timeout = own.orElse(timeout);
            steps(table, timeout);
        }
        return new Recipe(steps, timeout, kept);
    }

    /** The settings on the PF come before the reset, which makes a VF's driver see them. */
    private void steps(Table table, Duration timeout) {
        table.table("vf").ifPresent(vf -> {
            Words.concerns(table, "vf", kind, Set.of(Kind.VF));
            vf(vf).ifPresent(steps::add);
        });
        table.string("reset").ifPresent(word -> reset(table, word));
        table.string("driver").ifPresent(name -> {
            Words.concerns(table, "driver", kind, PCI_KINDS);
            Words.matching(table, "driver", name, DRIVER, "a name of a driver, as vfio-pci")
                    .ifPresent(driver -> steps.add(new Step.Driver(driver)));
        });
        table.table("program").ifPresent(program -> {
            Words.concerns(table, "program", kind, PROGRAMMABLE);
            program(program, timeout).ifPresent(steps::add);
        });
        command(table, timeout).ifPresent(steps::add);
    }

    private void reset(Table table, String word) {
        boolean isOfUsb = kind == Kind.USB;
        if (!isOfUsb) {
            Words.concerns(table, "reset", kind, PCI_KINDS);
        }
        List<Step.Reset.Method> methods = Stream.of(Step.Reset.Method.values())
                .filter(one -> isOfUsb == (one == Step.Reset.Method.USB))
                .toList();
        Optional<Step.Reset.Method> method =
                methods.stream().filter(one -> one.word().equals(word)).findFirst();
        method.ifPresent(found -> steps.add(new Step.Reset(found)));
        if (method.isEmpty() && !word.equals("none")) {
            String words = methods.stream().map(Step.Reset.Method::word).collect(Collectors.joining(", "));
            table.mistake("reset", "\"" + word + "\" is none of none, " + words);
        }
    }

    private Optional<Step> vf(Table table) {
        Optional<String> mac = table.string("mac")
                .flatMap(text -> text.equals(Step.Vf.RANDOM)
                        ? Optional.of(text)
                        : Words.matching(
                                table,
                                "mac",
                                text.toLowerCase(Locale.ROOT),
                                Step.Vf.STATION,
                                "\"random\" or a station's address"));
        Step.Vf vf = VfSettingsReader.read(table).withMac(mac.orElse(null));
        return vf.text().isEmpty() ? Optional.empty() : Optional.of(vf);
    }

    private Optional<Step> program(Table table, Duration timeout) {
        Optional<String> file = file(table);
        Optional<String> sha256 = sha256(table);
        Optional<String> id = id(table);
        Optional<Template> idFile =
                table.string("id_file").flatMap(text -> Words.template(table, "id_file", text, kind));
        Optional<Step.Command> tool = command(table, timeout, TemplateWord.FILE);
        boolean partial = table.bool("partial").orElse(false);
        boolean always = table.bool("always").orElse(false);
        return file.flatMap(
                path -> sha256.map(digest -> new Step.Program(path, digest, id, idFile, tool, partial, always)));
    }

    /** Where an image is. */
    static Optional<String> file(Table table) {
        return table.required("file")
                .flatMap(text -> Words.matching(table, "file", text, Pattern.compile("/.*"), "an absolute path"));
    }

    /** The digest of an image. */
    static Optional<String> sha256(Table table) {
        return table.required("sha256")
                .flatMap(text -> Words.matching(
                        table,
                        "sha256",
                        text.toLowerCase(Locale.ROOT),
                        SHA256,
                        "64 hexadecimal digits, as of sha256sum"));
    }

    /** What an FPGA says that has an image. */
    static Optional<String> id(Table table) {
        return table.string("id")
                .flatMap(text -> Words.matching(
                        table, "id", text.replace("-", "").toLowerCase(Locale.ROOT), ID, "32 hexadecimal digits"));
    }

    private Optional<Step.Command> command(Table table, Duration timeout, TemplateWord... names) {
        List<String> texts = table.strings("command");
        Duration limit =
                table.duration(COMMAND_TIMEOUT, SHORTEST, LONGEST_COMMAND).orElse(timeout);
        if (texts.isEmpty()) {
            return Optional.empty();
        }
        if (!texts.getFirst().startsWith("/")) {
            table.mistake("command", "\"" + texts.getFirst() + "\" is not the absolute path of a program");
        }
        List<Template> argv = texts.stream()
                .flatMap(text -> Words.template(table, "command", text, kind, names).stream())
                .toList();
        return Optional.of(new Step.Command(argv, limit, limits));
    }
}
