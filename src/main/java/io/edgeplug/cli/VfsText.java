package io.edgeplug.cli;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.cli.notes.VfsNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.VfGroups;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.vfs.PfPlan;
import io.edgeplug.node.vfs.VfsStep;
import java.util.ArrayList;
import java.util.List;

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
        JsonArray pfs = new JsonArray();
        plans.forEach(plan -> pfs.add(json(plan)));
        JsonObject root = new JsonObject();
        root.add("pfs", pfs);
        root.add(
                "entriesWithoutPf",
                texts(withoutPf.stream().map(WantedVfs::place).toList()));
        return new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(root);
    }

    private static JsonObject json(PfPlan plan) {
        PhysicalFunction pf = plan.pf();
        JsonObject object = new JsonObject();
        object.addProperty("pf", pf.address().toString());
        if (plan.isRead()) {
            addRead(plan, object);
        }
        object.add("problems", texts(plan.problems()));
        object.add("notes", texts(plan.notes()));
        return object;
    }

    private static void addRead(PfPlan plan, JsonObject object) {
        PhysicalFunction pf = plan.pf();
        pf.port().ifPresent(port -> object.addProperty("net", port.name()));
        pf.driver().ifPresent(driver -> object.addProperty("driver", driver));
        object.addProperty("total", pf.totalVfs());
        object.addProperty("vfs", pf.count());
        object.addProperty(
                "eswitch", (pf.isSwitchdev() ? WantedVfs.EswitchMode.SWITCHDEV : WantedVfs.EswitchMode.LEGACY).word());
        plan.wanted().ifPresent(wanted -> {
            object.addProperty("entry", wanted.place());
            object.addProperty("wanted", wanted.count());
        });
        JsonArray steps = new JsonArray();
        plan.steps().forEach(step -> steps.add(json(step)));
        object.add("steps", steps);
        object.add("lost", texts(plan.lost().stream().map(PciAddress::toString).toList()));
        JsonArray held = new JsonArray();
        plan.held().forEach(one -> {
            JsonObject vf = new JsonObject();
            vf.addProperty("vf", one.index());
            vf.addProperty("device", one.address().toString());
            vf.addProperty("holder", one.holder());
            held.add(vf);
        });
        object.add("held", held);
    }

    private static JsonObject json(VfsStep step) {
        JsonObject object = new JsonObject();
        object.addProperty("step", step.word());
        step.vf().ifPresent(vf -> object.addProperty("vf", vf));
        object.addProperty("text", step.text());
        return object;
    }

    private static JsonArray texts(List<String> texts) {
        JsonArray array = new JsonArray();
        texts.forEach(array::add);
        return array;
    }
}
