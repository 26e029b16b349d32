package io.edgeplug.cli.picture;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.kernel.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A node as lines of text: a tree, and beside it the resource and the state of each device. */
public final class TreeText {

    private static final int GAP = 2;

    /** The least width of a column that is cut. */
    private static final int LEAST = 12;

    private static final String END = "\u001b[0m";
    private static final String BAD = "\u001b[31m";

    /** Colours of the terminal that can be read on any background. */
    private static final List<String> COLOURS = List.of(
            "\u001b[36m",
            "\u001b[32m",
            "\u001b[35m",
            "\u001b[33m",
            "\u001b[34m",
            "\u001b[96m",
            "\u001b[92m",
            "\u001b[95m");

    private final int width;
    private final boolean isColoured;
    private final Map<ResourceName, String> colours = new TreeMap<>();
    private final List<Row> rows = new ArrayList<>();

    private TreeText(int width, boolean isColoured) {
        this.width = width;
        this.isColoured = isColoured;
    }

    private record Row(String tree, Optional<ShownDevice> device, String state) {

        String resource() {
            return device.flatMap(ShownDevice::resource)
                    .map(ResourceName::toString)
                    .orElse("");
        }

        boolean isBad() {
            return device.filter(one -> !one.device().health().isHealthy()).isPresent();
        }
    }

    /**
     * The lines.
     *
     * @param width the number of columns
     * @param isColoured whether a terminal shows them
     */
    public static List<String> lines(NodeTree node, int width, boolean isColoured) {
        TreeText text = new TreeText(width, isColoured);
        Alike.merged(node.branches()).forEach(branch -> text.add(branch, "", ""));
        List<String> lines = text.lines();
        if (lines.isEmpty()) {
            lines.add("no devices");
        }
        if (node.hidden() > 0) {
            lines.add(cut(
                    "PCI functions that are not shown because they back no resource: " + node.hidden() + ", see --all",
                    width));
        }
        return lines;
    }

    private void add(Branch branch, String own, String below) {
        rows.add(new Row(
                own + PlainText.of(branch.label() + facts(branch.facts())),
                branch.device(),
                branch.device().map(ShownDevice::state).map(PlainText::of).orElse("")));
        for (int i = 0; i < branch.children().size(); i++) {
            boolean isLast = i == branch.children().size() - 1;
            add(branch.children().get(i), below + (isLast ? "└─ " : "├─ "), below + (isLast ? "   " : "│  "));
        }
    }

    private static String facts(List<String> facts) {
        return facts.isEmpty() ? "" : "  " + String.join(" ", facts);
    }

    private List<String> lines() {
        int tree = longest(rows.stream().map(Row::tree).toList());
        int resource = longest(rows.stream().map(Row::resource).toList());
        int state = longest(rows.stream().map(Row::state).toList());
        int over = tree + gap(resource) + gap(state) - width;
        if (over > 0) {
            int less = Math.clamp(over, 0, Math.max(0, state - 2 * LEAST));
            state -= less;
            over -= less;
            less = Math.clamp(over, 0, Math.max(0, tree - 3 * LEAST));
            tree -= less;
            over -= less;
            // A long resource must leave room for the problem.
            less = Math.clamp(over, 0, Math.max(0, resource - 2 * LEAST));
            resource -= less;
        }
        List<String> lines = new ArrayList<>();
        for (Row row : rows) {
            lines.add(line(row, tree, resource));
        }
        return lines;
    }

    private static int gap(int column) {
        return column == 0 ? 0 : GAP + column;
    }

    private static int longest(List<String> texts) {
        return texts.stream().mapToInt(TreeText::columns).max().orElse(0);
    }

    /** The line is cut at the terminal's width before the escape sequences are inserted, which have no width. */
    private String line(Row row, int tree, int resource) {
        boolean isAlone = row.resource().isEmpty() && row.state().isEmpty();
        String first = cut(row.tree(), isAlone ? width : Math.min(width, tree));
        int afterTree = Math.min(width, tree + GAP);
        String second = cutResource(row.resource(), Math.min(resource, width - afterTree));
        int afterResource = Math.min(width, afterTree + gap(resource));
        String third = cut(row.state(), width - afterResource);
        StringBuilder line = new StringBuilder(first);
        if (!second.isEmpty() || !third.isEmpty()) {
            line.repeat(' ', afterTree - columns(first));
            line.append(coloured(
                    second,
                    row.device()
                            .flatMap(ShownDevice::resource)
                            .map(this::colour)
                            .orElse("")));
        }
        if (!third.isEmpty()) {
            line.repeat(' ', afterResource - afterTree - columns(second));
            line.append(coloured(third, row.isBad() ? BAD : ""));
        }
        return line.toString().stripTrailing();
    }

    private String colour(ResourceName resource) {
        return colours.computeIfAbsent(resource, any -> COLOURS.get(colours.size() % COLOURS.size()));
    }

    private String coloured(String text, String colour) {
        return isColoured && !text.isEmpty() && !colour.isEmpty() ? colour + text + END : text;
    }

    private static int columns(String text) {
        return text.codePointCount(0, text.length());
    }

    /** The name distinguishes resources, and their domain is often the same. */
    private static String cutResource(String text, int columns) {
        int slash = text.indexOf('/');
        return columns(text) <= columns || slash < 1 ? text : cut("…" + text.substring(slash), columns);
    }

    private static String cut(String text, int columns) {
        if (columns(text) <= columns) {
            return text;
        }
        return columns <= 0 ? "" : text.substring(0, text.offsetByCodePoints(0, columns - 1)) + "…";
    }
}
