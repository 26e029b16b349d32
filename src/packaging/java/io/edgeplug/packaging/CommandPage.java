package io.edgeplug.packaging;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** {@code edgeplug(8)}, made of what {@code --help} is made of. */
final class CommandPage {

    private static final int ONE_LINE = 1000;

    private final Roff page;

    private CommandPage(Roff page) {
        this.page = page;
    }

    /** The page as troff takes it. */
    static String of(CommandLine edgeplug, String date, String version) {
        String[] description = edgeplug.getCommandSpec().usageMessage().description();
        Roff page = new Roff("edgeplug", 8, date, version, Documents.summary(description[0]));
        new CommandPage(page).write(edgeplug);
        return page.toString();
    }

    private void write(CommandLine edgeplug) {
        CommandSpec spec = edgeplug.getCommandSpec();
        page.section("SYNOPSIS").paragraph(synopsis(spec));
        page.section("DESCRIPTION");
        // the first is the summary
        Stream.of(spec.usageMessage().description()).skip(1).forEach(page::paragraph);
        page.section("OPTIONS");
        arguments(spec);
        page.section("COMMANDS");
        edgeplug.getSubcommands().values().forEach(command -> command(command.getCommandSpec()));
        page.section("EXIT STATUS");
        spec.usageMessage().exitCodeList().forEach(page::item);
        UsageMessageSpec usage = spec.usageMessage();
        page.section(heading(usage).toUpperCase(Locale.ROOT));
        footer(usage);
        page.section("SEE ALSO").paragraph("`edgeplug.toml`(5), `systemctl`(1), `journalctl`(1)");
    }

    private void command(CommandSpec spec) {
        UsageMessageSpec usage = spec.usageMessage();
        page.subsection(synopsis(spec));
        Stream.of(usage.description()).forEach(page::paragraph);
        arguments(spec);
        if (usage.footer().length > 0) {
            page.paragraph(heading(usage) + ":");
            footer(usage);
        }
    }

    /** All but help and version, which every command has, and which are told of once. */
    private void arguments(CommandSpec spec) {
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            page.item("*" + parameter.paramLabel() + "*", text(parameter));
        }
        boolean isTop = spec.parent() == null;
        for (OptionSpec option : spec.options()) {
            if (isTop || !option.usageHelp() && !option.versionHelp()) {
                String label = option.arity().max() == 0 ? "" : "=*" + option.paramLabel() + "*";
                String names =
                        Stream.of(option.names()).map(name -> "`" + name + "`").collect(Collectors.joining(", "));
                page.item(names + label, text(option));
            }
        }
    }

    private static String text(ArgSpec argument) {
        return String.join(" ", argument.description());
    }

    private static String heading(UsageMessageSpec usage) {
        return usage.footerHeading().replace("%n", "").replace(":", "").strip();
    }

    /** Lines of two columns. */
    private void footer(UsageMessageSpec usage) {
        for (String line : usage.footer()) {
            List<String> columns = List.of(line.strip().split(" {2,}|(?<=^\\S{10}) ", 2));
            page.item("`" + columns.getFirst() + "`", columns.getLast());
        }
    }

    private static String synopsis(CommandSpec spec) {
        int width = spec.usageMessage().width();
        spec.usageMessage().width(ONE_LINE);
        String text = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF))
                .synopsis(0)
                .strip();
        spec.usageMessage().width(width);
        return text;
    }
}
