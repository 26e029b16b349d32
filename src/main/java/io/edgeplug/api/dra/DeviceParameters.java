package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.edgeplug.api.dra.ClaimAllocation.Result;
import io.edgeplug.model.rules.ClaimChoice;
import io.edgeplug.model.rules.ClaimChoices;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Image;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.kernel.LinkAddress;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reads the settings of a claim from its opaque parameters for this driver. A pod's owner has written them. So an
 * unknown parameter is a mistake, and so is one that the class does not allow.
 */
final class DeviceParameters {

    private static final String VERSION = "edgeplug.io/v1";
    private static final String KIND = "DeviceParameters";

    /** The API server takes up to 10 KiB, but useful parameters are shorter than this. */
    private static final int MAX_BYTES = 4 << 10;

    private static final int MAX_ADDRESSES = 16;
    private static final int MAX_NAME = 40;
    private static final int MAX_TOLD = 8;

    private final DeviceClass deviceClass;
    private final List<String> mistakes = new ArrayList<>();

    private DeviceParameters(DeviceClass deviceClass) {
        this.deviceClass = deviceClass;
    }

    /** The parameters for a driver and a request. A later one overrides an earlier one. */
    static List<JsonElement> of(JsonObject allocation, String driver, String request) {
        List<JsonElement> found = new ArrayList<>();
        for (JsonObject config : Json.objects(allocation, "config").toList()) {
            JsonObject opaque = Json.object(config, "opaque");
            if (Json.text(opaque, "driver").equals(driver) && isFor(request, config)) {
                JsonElement parameters = opaque.get("parameters");
                found.add(parameters == null ? new JsonObject() : parameters);
            }
        }
        return found;
    }

    /** Parameters that name a request also apply to each of its alternatives. */
    private static boolean isFor(String request, JsonObject config) {
        return !(config.get("requests") instanceof JsonArray names)
                || names.isEmpty()
                || Json.texts(config, "requests")
                        .anyMatch(name -> name.equals(request) || request.startsWith(name + "/"));
    }

    /**
     * The settings that a claim chooses for a device of a class.
     *
     * @throws IOException if they have mistakes; the message is a clause that names all of them
     */
    static ClaimChoice read(Result result, DeviceClass deviceClass) throws IOException {
        DeviceParameters reader = new DeviceParameters(deviceClass);
        if (result.isForAdministrator() && !result.parameters().isEmpty()) {
            reader.mistakes.add("with adminAccess nothing is done to a device");
        }
        ClaimChoice chosen = ClaimChoice.NONE;
        for (JsonElement one : result.parameters()) {
            chosen = chosen.and(reader.read(one));
        }
        List<String> mistakes = reader.mistakes.stream().distinct().toList();
        if (!mistakes.isEmpty()) {
            int more = mistakes.size() - MAX_TOLD;
            throw new IOException("it or its DeviceClass has parameters that " + deviceClass.resource()
                    + " does not take: " + mistakes.stream().limit(MAX_TOLD).collect(Collectors.joining("; "))
                    + (more > 0 ? "; and " + more + " more" : ""));
        }
        return chosen;
    }

    private ClaimChoice read(JsonElement json) {
        if (deviceClass.claims().choices().isEmpty()) {
            mistakes.add("its [class.claims] lets claims choose nothing");
            return ClaimChoice.NONE;
        }
        if (json.toString().getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            mistakes.add("they have more than " + (MAX_BYTES >> 10) + " KiB");
            return ClaimChoice.NONE;
        }
        if (!(json instanceof JsonObject object)) {
            mistakes.add("they are no object");
            return ClaimChoice.NONE;
        }
        refuseOthers(object, "", Set.of("apiVersion", "fpga", "interface", "kind", "vf"));
        need(object, "apiVersion", VERSION);
        need(object, "kind", KIND);
        JsonObject vf = part(object, "vf", Set.of("mac", "vlan", "max_tx_rate"));
        JsonObject fpga = part(object, "fpga", Set.of("image"));
        JsonObject moved = part(object, "interface", Set.of("addresses", "name"));
        Step.Vf settings = new Step.Vf(
                mac(vf),
                vlan(vf),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                maxRate(vf),
                Optional.empty());
        return new ClaimChoice(settings, image(fpga), interfaceName(moved), addresses(moved));
    }

    private JsonObject part(JsonObject object, String name, Set<String> known) {
        if (object.has(name) && !(object.get(name) instanceof JsonObject)) {
            mistakes.add(name + ": must be an object");
        }
        JsonObject part = Json.object(object, name);
        refuseOthers(part, name + ".", known);
        return part;
    }

    private void refuseOthers(JsonObject object, String path, Set<String> known) {
        for (String name : object.keySet()) {
            if (!known.contains(name)) {
                mistakes.add(
                        path + shown(name) + ": unknown field, there are " + String.join(", ", new TreeSet<>(known)));
            }
        }
    }

    private void need(JsonObject object, String name, String value) {
        if (!object.has(name)) {
            mistakes.add(name + ": missing, must be " + value);
        } else if (!text(object.get(name)).equals(Optional.of(value))) {
            mistakes.add(name + ": must be " + value);
        }
    }

    private Optional<String> mac(JsonObject vf) {
        if (!isAllowed(vf, "vf.", "mac", deviceClass.claims().choices().mac())) {
            return Optional.empty();
        }
        Optional<String> mac = text(vf.get("mac"))
                .map(text -> text.toLowerCase(Locale.ROOT))
                .filter(text -> Step.Vf.STATION.matcher(text).matches());
        if (mac.isEmpty()) {
            mistakes.add("vf.mac: must be a station's address, as 02:00:00:00:10:00");
        }
        return mac;
    }

    private OptionalInt vlan(JsonObject vf) {
        List<Integer> vlans = deviceClass.claims().choices().vlans();
        if (!isAllowed(vf, "vf.", "vlan", !vlans.isEmpty())) {
            return OptionalInt.empty();
        }
        OptionalInt vlan = number(vf.get("vlan"));
        if (vlan.isEmpty() || !vlans.contains(vlan.getAsInt())) {
            mistakes.add("vf.vlan: must be one of "
                    + vlans.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        return vlan;
    }

    private OptionalInt maxRate(JsonObject vf) {
        ClaimChoices choices = deviceClass.claims().choices();
        if (!isAllowed(vf, "vf.", "max_tx_rate", choices.maxRate().isPresent())) {
            return OptionalInt.empty();
        }
        OptionalInt rate = number(vf.get("max_tx_rate"));
        int most = choices.maxRate().getAsInt();
        int least = Math.max(1, deviceClass.recipe().vf().minRate().orElse(0));
        if (rate.isEmpty() || rate.getAsInt() < least || rate.getAsInt() > most) {
            mistakes.add("vf.max_tx_rate: must be " + least + " to " + most);
        }
        return rate;
    }

    private Optional<Image> image(JsonObject fpga) {
        List<Image> images = deviceClass.claims().choices().images();
        if (!isAllowed(fpga, "fpga.", "image", !images.isEmpty())) {
            return Optional.empty();
        }
        Optional<Image> image = text(fpga.get("image"))
                .flatMap(name ->
                        images.stream().filter(one -> one.name().equals(name)).findFirst());
        if (image.isEmpty()) {
            mistakes.add("fpga.image: must be one of "
                    + images.stream().map(Image::name).collect(Collectors.joining(", ")));
        }
        return image;
    }

    private Optional<String> interfaceName(JsonObject moved) {
        if (!isAllowed(
                moved, "interface.", "name", deviceClass.claims().choices().name())) {
            return Optional.empty();
        }
        Optional<String> name = text(moved.get("name"))
                .filter(text -> Step.Interface.NAME.matcher(text).matches());
        if (name.isEmpty()) {
            mistakes.add(
                    "interface.name: must begin with a letter, end in a number as net1 does, and have only letters, digits and"
                            + " _.-, at most 14 characters; eth0 is not allowed");
        }
        return name;
    }

    private List<LinkAddress> addresses(JsonObject moved) {
        List<LinkAddress> networks = deviceClass.claims().choices().networks();
        if (!isAllowed(moved, "interface.", "addresses", !networks.isEmpty())) {
            return List.of();
        }
        List<JsonElement> texts = moved.get("addresses") instanceof JsonArray array ? array.asList() : List.of();
        List<LinkAddress> addresses = texts.stream()
                .flatMap(json -> text(json).flatMap(LinkAddress::parse).stream())
                .filter(address ->
                        address.isOfHost() && networks.stream().anyMatch(network -> network.contains(address)))
                .toList();
        if (texts.isEmpty() || texts.size() > MAX_ADDRESSES || addresses.size() < texts.size()) {
            mistakes.add("interface.addresses: must be one to " + MAX_ADDRESSES
                    + " addresses of hosts with their prefixes in "
                    + networks.stream().map(LinkAddress::toString).collect(Collectors.joining(", ")));
        }
        return addresses;
    }

    private boolean isAllowed(JsonObject part, String path, String name, boolean isAllowed) {
        if (part.has(name) && !isAllowed) {
            mistakes.add(path + name + ": its [class.claims] does not let claims choose it");
        }
        return part.has(name) && isAllowed;
    }

    private static Optional<String> text(JsonElement json) {
        return json instanceof JsonPrimitive primitive && primitive.isString()
                ? Optional.of(primitive.getAsString())
                : Optional.empty();
    }

    private static OptionalInt number(JsonElement json) {
        boolean isWhole = json instanceof JsonPrimitive primitive
                && primitive.isNumber()
                && primitive.getAsString().matches("\\d{1,9}");
        return isWhole ? OptionalInt.of(json.getAsInt()) : OptionalInt.empty();
    }

    /** A text that a pod's owner has written, made safe for a log. */
    private static String shown(String name) {
        return PlainText.of(name.length() > MAX_NAME ? name.substring(0, MAX_NAME) + "..." : name);
    }
}
