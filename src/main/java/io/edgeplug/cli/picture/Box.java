package io.edgeplug.cli.picture;

import java.util.ArrayList;
import java.util.List;

/**
 * A rectangle of the picture: lines of text, and below them its inner boxes in rows. Sizes are in pixels. The position
 * counts from the corner of the outer box.
 *
 * <p>Boxes are placed one after the other, so that none overlaps another. The size of a box follows from its content.
 */
record Box(Branch branch, List<String> lines, int x, int y, int width, int height, List<Box> children) {

    /** The width of a character in the picture's font, which is monospaced. */
    static final double CHARACTER = 6.6;

    static final int LINE = 14;
    static final int PADDING = 8;

    private static final int GAP = 6;

    /** The narrowest and the widest box without inner boxes. Longer texts are wrapped. */
    private static final int LEAST_CHARACTERS = 12;

    private static final int MOST_CHARACTERS = 24;

    /** The width after which the heading of a box is wrapped, however little is in the box. */
    private static final int WIDTH_OF_TEXT = 280;

    /** The name of a file can have thousands of characters. The rest of such a text is in the box's title. */
    private static final int MOST_LINES = 6;

    Box {
        lines = List.copyOf(lines);
        children = List.copyOf(children);
    }

    static int width(String text) {
        return (int) Math.ceil(length(text) * CHARACTER);
    }

    /** A box of limited width for a branch with everything below it. */
    static Box of(Branch branch, int most) {
        return branch.children().isEmpty() ? leaf(branch, most) : around(branch, most);
    }

    private static Box leaf(Branch branch, int most) {
        int characters = Math.min(MOST_CHARACTERS, (int) ((most - 2 * PADDING) / CHARACTER));
        List<String> texts = new ArrayList<>(List.of(branch.label()));
        texts.addAll(branch.facts());
        branch.device().ifPresent(device -> {
            device.device().health().problem().ifPresent(problem -> texts.add("unhealthy: " + problem));
            device.holders().forEach(holder -> texts.add("held by " + holder));
        });
        List<String> lines = texts.stream()
                .flatMap(text -> wrapped(text, characters).stream())
                .toList();
        int widest = lines.stream().mapToInt(Box::width).max().orElse(0);
        int width = 2 * PADDING + Math.max(widest, (int) (LEAST_CHARACTERS * CHARACTER));
        return new Box(branch, lines, 0, 0, width, height(lines), List.of());
    }

    private static Box around(Branch branch, int most) {
        List<Box> rows = rows(branch.children(), most - 2 * PADDING);
        int inner = rows.stream().mapToInt(box -> box.x() + box.width()).max().orElse(0);
        List<String> lines = heading(branch, Math.max(inner, Math.min(most - 2 * PADDING, WIDTH_OF_TEXT)));
        int widest = Math.max(inner, lines.stream().mapToInt(Box::width).max().orElse(0));
        int top = height(lines);
        int bottom = rows.stream().mapToInt(box -> box.y() + box.height()).max().orElse(0);
        List<Box> placed = rows.stream()
                .map(box -> box.at(PADDING + box.x(), top + box.y()))
                .toList();
        return new Box(branch, lines, 0, 0, widest + 2 * PADDING, top + bottom + PADDING, placed);
    }

    /** Label, facts and state, on as many lines as they need in that width. */
    private static List<String> heading(Branch branch, int width) {
        List<String> texts = new ArrayList<>(List.of(branch.label()));
        texts.addAll(branch.facts());
        branch.device()
                .map(ShownDevice::state)
                .filter(state -> !state.isEmpty())
                .ifPresent(texts::add);
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String text : texts) {
            String longer = line.isEmpty() ? text : line + "  " + text;
            if (!line.isEmpty() && width(longer) > width) {
                lines.addAll(wrapped(line, (int) (width / CHARACTER)));
                line = text;
            } else {
                line = longer;
            }
        }
        lines.addAll(wrapped(line, (int) (width / CHARACTER)));
        return lines;
    }

    /**
     * Places boxes from left to right, in as many rows as needed. In a row, all are equally high, and leaves are
     * equally wide.
     */
    static List<Box> rows(List<Branch> branches, int most) {
        List<Box> boxes = branches.stream().map(branch -> of(branch, most)).toList();
        int widestLeaf = boxes.stream()
                .filter(box -> box.children().isEmpty())
                .mapToInt(Box::width)
                .max()
                .orElse(0);
        List<Box> placed = new ArrayList<>();
        List<Box> row = new ArrayList<>();
        int x = 0;
        int y = 0;
        for (Box box : boxes) {
            Box one = box.children().isEmpty() ? box.sized(widestLeaf, box.height()) : box;
            if (!row.isEmpty() && x + one.width() > most) {
                y = finish(row, y, placed);
                x = 0;
            }
            row.add(one.at(x, y));
            x += one.width() + GAP;
        }
        finish(row, y, placed);
        return placed;
    }

    /** Returns where the next row begins. */
    private static int finish(List<Box> row, int y, List<Box> placed) {
        int height = row.stream().mapToInt(Box::height).max().orElse(0);
        row.forEach(box -> placed.add(box.sized(box.width(), height)));
        row.clear();
        return y + height + GAP;
    }

    private static int height(List<String> lines) {
        return 2 * PADDING + LINE * lines.size();
    }

    private Box at(int newX, int newY) {
        return new Box(branch, lines, newX, newY, width, height, children);
    }

    private Box sized(int newWidth, int newHeight) {
        return new Box(branch, lines, x, y, newWidth, newHeight, children);
    }

    /** A text in lines with at most that many characters, broken after spaces if possible. */
    private static List<String> wrapped(String text, int characters) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (length(rest) > characters && lines.size() < MOST_LINES - 1) {
            int end = rest.offsetByCodePoints(0, characters);
            int space = rest.lastIndexOf(' ', end);
            int cut = space > 0 ? space : end;
            lines.add(rest.substring(0, cut).stripTrailing());
            rest = rest.substring(cut).stripLeading();
        }
        lines.add(
                length(rest) <= characters
                        ? rest
                        : rest.substring(0, rest.offsetByCodePoints(0, characters - 1)) + "…");
        return lines;
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
