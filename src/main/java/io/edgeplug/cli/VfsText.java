package io.edgeplug.cli;

import io.edgeplug.cli.notes.VfsNode;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.VfGroups;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.vfs.PfPlan;
import io.edgeplug.node.vfs.VfsStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plans of PFs as text for people, and as JSON. */
final class VfsText {

    private VfsText() {}

    /**
     * The lines of some plans.
     *
     * @param withoutPf the entries that take none of all PFs
     */
    static List<String> lines(List<PfPlan> plans, List<WantedVfs> withoutPf, List<PfPlan> all) {
        List<String> lines = new ArrayList<>();
        for (PfPlan plan : plans) {
            if (!plan.isRead()) {
                lines.add(plan.pf().name() + ":");
                plan.problems().forEach(problem -> lines.add(line("problem", problem)));
                continue;
            }
            lines.add(headline(plan.pf()));
            lines.add(line("wanted", plan.wanted().map(VfGroups::text).orElse("nothing: no [[vfs]] takes it")));
            plan.notes().forEach(note -> lines.add(line("note", note)));
            plan.problems().forEach(problem -> lines.add(line("problem", problem)));
            plan.held().forEach(held -> lines.add(line("held", held.address() + ": " + held.holder())));
            if (!plan.lost().isEmpty() && plan.problems().isEmpty()) {
                lines.add(line("lost", range(plan.lost())));
            }
            lines.addAll(steps(plan.steps()));
            if (plan.isDone() && plan.wanted().isPresent()) {
                lines.add(line("done", "all is as wanted"));
            }
        }
        for (WantedVfs entry : withoutPf) {
            lines.add(VfsNode.subject(entry) + ": " + entry.text());
            lines.add(line("problem", VfsNode.noPf(entry, all)));
        }
        return lines;
    }

    /** A word and the text for it. */
    private static String line(String word, String text) {
        return "  %-10s %s".formatted(word, text);
    }

    private static String headline(PhysicalFunction pf) {
        return pf.name() + ": " + pf.count() + " of " + pf.totalVfs() + " VFs"
                + pf.driver().map(driver -> ", " + driver).orElse(", no driver")
                + (pf.isSwitchdev() ? ", switchdev" : "");
    }

    private static String range(List<PciAddress> lost) {
        return lost.getFirst() + (lost.size() == 1 ? "" : " to " + lost.getLast()) + ", " + lost.size()
                + (lost.size() == 1 ? " VF" : " VFs") + ", which nobody uses";
    }

    /** Equal steps on consecutive VFs share a line. */
    private static List<String> steps(List<VfsStep> steps) {
        List<String> lines = new ArrayList<>();
        int begin = 0;
        for (int end = 1; end <= steps.size(); end++) {
            if (end == steps.size() || !isSame(steps.get(begin), steps.get(end), end - begin)) {
                lines.add(step(steps.get(begin), end - begin));
                begin = end;
            }
        }
        return lines;
    }

    private static boolean isSame(VfsStep first, VfsStep later, int distance) {
        return first.vf().isPresent()
                && later.vf().isPresent()
                && later.vf().getAsInt() == first.vf().getAsInt() + distance
                && first.word().equals(later.word())
                && first.text().equals(later.text());
    }

    /** A step, or several consecutive ones. */
    static String step(VfsStep step, int count) {
        String vfs = "";
        if (step.vf().isPresent()) {
            int first = step.vf().getAsInt();
            vfs = count == 1 ? "VF " + first + ": " : "VF " + first + "-" + (first + count - 1) + ": ";
        }
        return line(step.word(), vfs + step.text());
    }

    static String json(List<PfPlan> plans, List<WantedVfs> withoutPf) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("pfs", plans.stream().map(VfsText::json).toList());
        root.put("entriesWithoutPf", withoutPf.stream().map(WantedVfs::place).toList());
        return Lines.json(root);
    }

    private static Map<String, Object> json(PfPlan plan) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("pf", plan.pf().address().toString());
        if (plan.isRead()) {
            addRead(plan, object);
        }
        object.put("problems", plan.problems());
        object.put("notes", plan.notes());
        return object;
    }

    private static void addRead(PfPlan plan, Map<String, Object> object) {
        PhysicalFunction pf = plan.pf();
        pf.port().ifPresent(port -> object.put("net", port.name()));
        pf.driver().ifPresent(driver -> object.put("driver", driver));
        object.put("total", pf.totalVfs());
        object.put("vfs", pf.count());
        object.put(
                "eswitch", (pf.isSwitchdev() ? WantedVfs.EswitchMode.SWITCHDEV : WantedVfs.EswitchMode.LEGACY).word());
        plan.wanted().ifPresent(wanted -> {
            object.put("entry", wanted.place());
            object.put("wanted", wanted.count());
        });
        object.put("steps", plan.steps().stream().map(VfsText::json).toList());
        object.put("lost", plan.lost().stream().map(PciAddress::toString).toList());
        List<Map<String, Object>> held = new ArrayList<>();
        plan.held().forEach(one -> {
            Map<String, Object> vf = new LinkedHashMap<>();
            vf.put("vf", one.index());
            vf.put("device", one.address().toString());
            vf.put("holder", one.holder());
            held.add(vf);
        });
        object.put("held", held);
    }

    private static Map<String, Object> json(VfsStep step) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("step", step.word());
        step.vf().ifPresent(vf -> object.put("vf", vf));
        object.put("text", step.text());
        return object;
    }
}
