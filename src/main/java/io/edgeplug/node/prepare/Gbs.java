package io.edgeplug.node.prepare;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The header and content of Intel's green bitstream (GBS). It has 16 bytes that identify the format, the length of some
 * JSON in 4 bytes in little endian, the JSON, and then the image.
 *
 * @param interfaceId the interface that the region must have, 32 lower-case hexadecimal digits
 * @param afuIds the accelerators in it, in the same form
 * @param image the bytes after the header
 */
record Gbs(String interfaceId, List<String> afuIds, ByteBuffer image) {

    private static final byte[] FORMAT = "XeonFPGA\u00b7GBSv001".getBytes(StandardCharsets.ISO_8859_1);
    private static final int MAX_JSON = 1 << 16;
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");

    Gbs {
        afuIds = List.copyOf(afuIds);
    }

    /**
     * Reads the header.
     *
     * @throws IOException if the header is missing or wrong
     */
    static Gbs parse(ByteBuffer file) throws IOException {
        ByteBuffer rest = file.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        byte[] format = new byte[FORMAT.length];
        if (rest.remaining() < FORMAT.length + Integer.BYTES) {
            throw new IOException("is too short for the header of a GBS");
        }
        rest.get(format);
        if (!Arrays.equals(format, FORMAT)) {
            throw new IOException("does not begin as a GBS does");
        }
        long length = Integer.toUnsignedLong(rest.getInt());
        if (length > Math.min(rest.remaining(), MAX_JSON)) {
            throw new IOException("says that its metadata has " + length + " bytes, and has " + rest.remaining());
        }
        byte[] json = new byte[(int) length];
        rest.get(json);
        if (!rest.hasRemaining()) {
            throw new IOException("has nothing after its header");
        }
        return metadata(new String(json, StandardCharsets.UTF_8), rest.slice());
    }

    private static Gbs metadata(String json, ByteBuffer image) throws IOException {
        try {
            JsonObject afu = Optional.of(JsonParser.parseString(json.replaceAll("\0+$", "")))
                    .filter(JsonElement::isJsonObject)
                    .flatMap(whole -> member(whole.getAsJsonObject(), "afu-image"))
                    .filter(JsonElement::isJsonObject)
                    .orElseThrow(() -> new IOException("has metadata without afu-image"))
                    .getAsJsonObject();
            String interfaceId =
                    id(afu, "interface-uuid").orElseThrow(() -> new IOException("names no interface-uuid"));
            List<String> afuIds = new ArrayList<>();
            member(afu, "accelerator-clusters")
                    .filter(JsonElement::isJsonArray)
                    .ifPresent(clusters -> clusters.getAsJsonArray().asList().stream()
                            .filter(JsonElement::isJsonObject)
                            .flatMap(one -> id(one.getAsJsonObject(), "accelerator-type-uuid").stream())
                            .forEach(afuIds::add));
            return new Gbs(interfaceId, afuIds, image);
        } catch (JsonParseException e) {
            throw new IOException("has metadata that is no JSON", e);
        }
    }

    private static Optional<JsonElement> member(JsonObject object, String name) {
        return Optional.ofNullable(object.get(name));
    }

    private static Optional<String> id(JsonObject object, String name) {
        return member(object, name)
                .filter(JsonElement::isJsonPrimitive)
                .map(element -> element.getAsString().replace("-", "").toLowerCase(Locale.ROOT))
                .filter(text -> ID.matcher(text).matches());
    }
}
