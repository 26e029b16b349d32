package io.edgeplug.packaging;

import java.util.List;
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

    /** The page as troff takes it, with sections in Markdown that no help has. */
    static String of(CommandLine edgeplug, List<String> more, String date, String version) {
        String[] description = edgeplug.getCommandSpec().usageMessage().description();
        Roff page = new Roff("edgeplug", 8, date, version, Documents.summary(description[0]));
        new CommandPage(page).write(edgeplug);
        ReferencePage.append(more, page);
        page.section("See also").paragraph("`edgeplug.toml`(5), `systemctl`(1), `journalctl`(1)");
        return page.toString();
    }

    private void write(CommandLine edgeplug) {
        CommandSpec spec = edgeplug.getCommandSpec();
        page.section("SYNOPSIS").synopsis(synopsis(spec));
        page.section("DESCRIPTION");
        // the first is the summary
        Stream.of(spec.usageMessage().description()).skip(1).forEach(page::paragraph);
        page.section("OPTIONS");
        arguments(spec);
        page.section("COMMANDS");
        edgeplug.getSubcommands().values().forEach(command -> command(command.getCommandSpec()));
        page.section("EXIT STATUS");
        spec.usageMessage().exitCodeList().forEach(page::item);
    }

    private void command(CommandSpec spec) {
        UsageMessageSpec usage = spec.usageMessage();
        page.subsection(spec.qualifiedName()).synopsis(synopsis(spec));
        Stream.of(usage.description()).forEach(page::paragraph);
        arguments(spec);
        if (usage.footer().length > 0) {
            footer(usage);
        }
        spec.subcommands().values().forEach(below -> command(below.getCommandSpec()));
    }

    /** All but help and version, which every command has, and which are told of once. */
    private void arguments(CommandSpec spec) {
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            page.item("*" + parameter.paramLabel() + "*", text(parameter));
        }
        boolean isTop = spec.parent() == null;
        for (OptionSpec option : spec.options()) {
            if (isTop || (!option.usageHelp() && !option.versionHelp())) {
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

    /** Lines of two columns. */
    private void footer(UsageMessageSpec usage) {
        String heading =
                usage.footerHeading().replace("%n", "").replace(":", "").strip();
        page.table(
                List.of(heading, "shows"),
                Stream.of(usage.footer())
                        .map(line -> List.of(line.strip().split(" {2,}|(?<=^\\S{10}) ", 2)))
                        .map(columns -> List.of("`" + columns.getFirst() + "`", columns.getLast()))
                        .toList());
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
