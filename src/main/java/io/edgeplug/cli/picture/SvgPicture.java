package io.edgeplug.cli.picture;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.kernel.PlainText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A node as an image in one file, without scripts and fonts. It has its own background, so it can be read on a light
 * and on a dark page.
 */
public final class SvgPicture {

    /** The width that fits on a screen without scrolling sideways. */
    private static final int WIDTH = 1200;

    private static final int MARGIN = 16;

    /** The part of a line's height above its baseline. */
    private static final int ASCENT = 11;

    /** Colours behind dark text, enough for the resources of a usual node. */
    private static final List<String> COLOURS = List.of(
            "#bfdbfe", "#bbf7d0", "#fde68a", "#e9d5ff", "#fecdd3", "#a5f3fc", "#fed7aa", "#d9f99d", "#c7d2fe",
            "#f5d0fe");

    /** Characters that XML does not allow. */
    private static final Pattern NO_XML = Pattern.compile("[^\\t\\n\\r -\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]");

    private final Map<ResourceName, List<ShownDevice>> resources = new TreeMap<>();
    private final StringBuilder svg = new StringBuilder();

    private SvgPicture() {}

    /** The meaning of a box's colour and pattern. */
    private record Look(Optional<ResourceName> resource, boolean isUnhealthy) {

        static final Look PLAIN = new Look(Optional.empty(), false);

        static Look of(Branch branch) {
            return new Look(
                    branch.device().flatMap(ShownDevice::resource),
                    branch.device()
                            .filter(one -> !one.device().health().isHealthy())
                            .isPresent());
        }
    }

    public static String of(NodeTree node) {
        return new SvgPicture().draw(node);
    }

    private String draw(NodeTree node) {
        List<ShownDevice> devices = devices(node.branches()).toList();
        devices.forEach(one -> one.resource()
                .ifPresent(resource -> resources
                        .computeIfAbsent(resource, any -> new ArrayList<>())
                        .add(one)));
        Map<Branch, Look> entries = legend(devices, haveOthers(node.branches()));
        List<Box> legend = Box.rows(List.copyOf(entries.keySet()), WIDTH);
        int belowLegend = bottom(legend) + MARGIN;
        List<Box> boxes = Box.rows(Alike.merged(node.branches()), WIDTH);
        int width = Stream.concat(legend.stream(), boxes.stream())
                .mapToInt(box -> box.x() + box.width())
                .max()
                .orElse(0);
        begin(width + 2 * MARGIN, belowLegend + bottom(boxes) + 2 * MARGIN);
        legend.forEach(box -> draw(box, entries.getOrDefault(box.branch(), Look.PLAIN), MARGIN, MARGIN));
        boxes.forEach(box -> draw(box, MARGIN, MARGIN + belowLegend));
        return svg.append("</svg>\n").toString();
    }

    private static int bottom(List<Box> boxes) {
        return boxes.stream().mapToInt(box -> box.y() + box.height()).max().orElse(0);
    }

    /** Whether a box that is not around others is of a device without a resource. A PF around its VFs needs none. */
    private static boolean haveOthers(List<Branch> branches) {
        return branches.stream()
                .anyMatch(branch -> branch.children().isEmpty()
                        ? branch.device()
                                .filter(one -> one.resource().isEmpty())
                                .isPresent()
                        : haveOthers(branch.children()));
    }

    private static Stream<ShownDevice> devices(List<Branch> branches) {
        return branches.stream().flatMap(branch -> Stream.concat(branch.device().stream(), devices(branch.children())));
    }

    /** Each resource with its devices, then the other kinds of boxes that there are. */
    private Map<Branch, Look> legend(List<ShownDevice> all, boolean hasOthers) {
        Map<Branch, Look> entries = new LinkedHashMap<>();
        resources.forEach((resource, devices) ->
                entries.put(Branch.of(resource.toString(), counts(devices)), new Look(Optional.of(resource), false)));
        if (hasOthers) {
            entries.put(Branch.of("no resource"), Look.PLAIN);
        }
        if (all.stream().anyMatch(one -> !one.device().health().isHealthy())) {
            entries.put(Branch.of("unhealthy"), new Look(Optional.empty(), true));
        }
        if (entries.isEmpty()) {
            entries.put(Branch.of("no devices"), Look.PLAIN);
        }
        return entries;
    }

    private static String counts(List<ShownDevice> devices) {
        long held = devices.stream().filter(one -> !one.holders().isEmpty()).count();
        long unhealthy = devices.stream()
                .filter(one -> !one.device().health().isHealthy())
                .count();
        return devices.size()
                + (devices.size() == 1 ? " device" : " devices")
                + (held == 0 ? "" : ", " + held + " held")
                + (unhealthy == 0 ? "" : ", " + unhealthy + " unhealthy");
    }

    private void begin(int width, int height) {
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
                .formatted(width, height, width, height));
        svg.append("<style>\n");
        svg.append("text{font:11px ui-monospace,'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;"
                + "fill:#1f2328;white-space:pre}\n");
        svg.append(".b{font-weight:bold}\nrect{fill:#fff;stroke:#8c959f}\n.h{fill:url(#h);stroke:none}\n");
        svg.append(".u{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}\n");
        for (int i = 0; i < COLOURS.size(); i++) {
            svg.append(".c%d{fill:%s;stroke:#57606a}\n".formatted(i, COLOURS.get(i)));
        }
        svg.append("</style>\n<pattern id=\"h\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\""
                + " patternTransform=\"rotate(45)\"><path d=\"M0 0V7\" stroke=\"#cf222e\" stroke-width=\"3\""
                + " stroke-opacity=\".4\"/></pattern>\n");
        // This comes first, so it is below everything else.
        svg.append("<rect width=\"%d\" height=\"%d\" rx=\"8\" style=\"fill:#f6f8fa\"/>\n".formatted(width, height));
    }

    private void draw(Box box, int left, int top) {
        draw(box, Look.of(box.branch()), left, top);
        box.children().forEach(child -> draw(child, left + box.x(), top + box.y()));
    }

    private void draw(Box box, Look look, int left, int top) {
        int x = left + box.x();
        int y = top + box.y();
        String place =
                "x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"".formatted(x, y, box.width(), box.height());
        svg.append("<g>");
        box.branch()
                .device()
                .ifPresent(device ->
                        svg.append("<title>").append(xml(title(device))).append("</title>"));
        svg.append("<rect ")
                .append(place)
                .append(look.resource().map(this::colour).orElse(""))
                .append("/>");
        if (look.isUnhealthy()) {
            svg.append("<rect class=\"h\" ").append(place).append("/>");
        }
        for (int i = 0; i < box.lines().size(); i++) {
            String style = (i == 0 ? "b" : "") + (look.isUnhealthy() ? " u" : "");
            text(box.lines().get(i), style.strip(), x + Box.PADDING, y + Box.PADDING + i * Box.LINE + ASCENT);
        }
        svg.append("</g>\n");
    }

    /** The length of the text is fixed, so that it fits whichever monospaced font a viewer has. */
    private void text(String line, String style, int x, int y) {
        if (line.isEmpty()) {
            return;
        }
        svg.append("<text ");
        if (!style.isEmpty()) {
            svg.append("class=\"").append(style).append("\" ");
        }
        svg.append("x=\"%d\" y=\"%d\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\">"
                .formatted(x, y, Box.width(line)));
        svg.append(xml(line)).append("</text>");
    }

    private String colour(ResourceName resource) {
        return " class=\"c" + new ArrayList<>(resources.keySet()).indexOf(resource) % COLOURS.size() + "\"";
    }

    private static String title(ShownDevice shown) {
        String resource = shown.resource().map(name -> " " + name).orElse("");
        return shown.device().id() + resource + (shown.state().isEmpty() ? "" : ": " + shown.state());
    }

    private static String xml(String text) {
        return NO_XML.matcher(PlainText.of(text))
                .replaceAll("?")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
    }
}
