package io.edgeplug.cli.report;

import java.util.List;
import java.util.regex.Pattern;

/** Colours the lines of a status for a terminal, one after the other. The colours can be read on dark and on light ground. */
final class StatusColors {

    private static final String RED = "31";
    private static final String GREEN = "32";
    private static final String YELLOW = "33";
    private static final String BOLD = "1";

    private static final Pattern HEADING = Pattern.compile("(RESOURCE|DEVICE)\\b[A-Z ]*|LAST EVENTS\\b.*");
    private static final Pattern NEEDS = Pattern.compile("\\d+ things? needs? you.*");
    private static final Pattern WITHOUT_DEVICES = Pattern.compile(".*  no device matches, see edgeplug check");

    /** Whether the lines of this table are about unhealthy devices or failures. */
    private boolean isOfProblems;

    /** Whether the last line was about the configuration on disk, whose mistakes follow. */
    private boolean isOfConfiguration;

    /** The line, or the lines that it is folded into. */
    List<String> of(String line, List<String> folded) {
        String code = code(line);
        return code.isEmpty()
                ? folded
                : folded.stream()
                        .map(part -> "\033[" + code + "m" + part + "\033[0m")
                        .toList();
    }

    /** The code of its colour; empty if it has none. */
    private String code(String line) {
        if (HEADING.matcher(line).matches()) {
            isOfProblems = line.contains("UNHEALTHY SINCE") || line.contains("FAILED SINCE");
            return BOLD;
        }
        if (line.isEmpty()) {
            isOfProblems = false;
            return "";
        }
        isOfConfiguration = line.startsWith("configuration: ") || (isOfConfiguration && line.startsWith(" "));
        if (line.equals("all well")) {
            return GREEN;
        }
        if (NEEDS.matcher(line).matches()) {
            return BOLD + ";" + RED;
        }
        if (isOfConfiguration || isOfProblems) {
            return RED;
        }
        boolean isWarning = line.startsWith("kubelet: waiting for it")
                || line.contains("  warning: ")
                || line.contains(": not published: ")
                || WITHOUT_DEVICES.matcher(line).matches();
        return isWarning ? YELLOW : "";
    }
}
