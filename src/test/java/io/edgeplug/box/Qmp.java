package io.edgeplug.box;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** QEMU's monitor; see docs/interop/qmp-spec.rst in QEMU. One caller at a time. */
final class Qmp {

    /** Saving the node's memory to a busy disk takes the longest. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final LineSocket socket;
    private final List<JsonObject> events = new ArrayList<>();

    private Qmp(LineSocket socket) {
        this.socket = socket;
    }

    /** Waits until QEMU has connected. */
    static Qmp open(LineSocket socket) throws IOException, InterruptedException, TimeoutException {
        Qmp qmp = new Qmp(socket);
        qmp.next(object -> object.has("QMP"));
        qmp.execute("qmp_capabilities", Map.of());
        return qmp;
    }

    JsonElement execute(String command, Map<String, String> arguments)
            throws IOException, InterruptedException, TimeoutException {
        JsonObject values = new JsonObject();
        arguments.forEach(values::addProperty);
        JsonObject request = new JsonObject();
        request.addProperty("execute", command);
        request.add("arguments", values);
        events.clear();
        socket.send(request.toString());
        JsonObject answer = next(object -> object.has("return") || object.has("error"));
        if (answer.has("error")) {
            throw new IOException("qemu: " + command + " " + arguments + ": " + answer.get("error"));
        }
        return answer.get("return");
    }

    /** Runs a command of the monitor for humans, which prints nothing unless it fails. */
    void command(String line) throws IOException, InterruptedException, TimeoutException {
        String answer =
                execute("human-monitor-command", Map.of("command-line", line)).getAsString();
        if (!answer.isBlank()) {
            throw new IOException("qemu: " + line + ": " + answer.strip());
        }
    }

    /** Waits for an event since the last command. */
    void await(String event, String device) throws IOException, InterruptedException, TimeoutException {
        Predicate<JsonObject> wanted = object -> is(object, event, device);
        if (events.stream().noneMatch(wanted)) {
            next(wanted);
        }
    }

    private static boolean is(JsonObject object, String event, String device) {
        return object.has("event")
                && object.get("event").getAsString().equals(event)
                && object.getAsJsonObject("data").has("device")
                && object.getAsJsonObject("data").get("device").getAsString().equals(device);
    }

    private JsonObject next(Predicate<JsonObject> wanted) throws IOException, InterruptedException, TimeoutException {
        while (true) {
            JsonElement line = JsonParser.parseString(socket.next(PATIENCE));
            JsonObject object = line instanceof JsonNull ? new JsonObject() : line.getAsJsonObject();
            if (object.has("event")) {
                events.add(object);
            }
            if (wanted.test(object)) {
                return object;
            }
        }
    }
}
