package io.edgeplug.packaging;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** The bill of materials of a package (CycloneDX): Maven's, without libraries of other architectures, and the runtime. */
final class Bill {

    /** Maven's bill where Maven made none. */
    static final String NONE = "{\"components\": []}";

    private static final Gson JSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private Bill() {}

    /** The bill of a package that has this Java runtime, made of Maven's for the whole project. */
    static String of(String maven, Architecture architecture, Path runtime) throws IOException {
        JsonObject bill = JSON.fromJson(maven, JsonObject.class);
        JsonArray components = new JsonArray();
        for (JsonElement component : bill.getAsJsonArray("components")) {
            if (!isOfAnother(component.getAsJsonObject().get("purl").getAsString(), architecture)) {
                components.add(component);
            }
        }
        components.add(runtime(runtime));
        bill.add("components", components);
        JsonArray dependencies = new JsonArray();
        for (JsonElement dependency : bill.getAsJsonArray("dependencies")) {
            if (!isOfAnother(dependency.getAsJsonObject().get("ref").getAsString(), architecture)) {
                dependencies.add(withoutOthers(dependency.getAsJsonObject(), architecture));
            }
        }
        bill.add("dependencies", dependencies);
        return JSON.toJson(bill) + "\n";
    }

    private static JsonObject withoutOthers(JsonObject dependency, Architecture architecture) {
        JsonArray on = new JsonArray();
        if (dependency.has("dependsOn")) {
            for (JsonElement reference : dependency.getAsJsonArray("dependsOn")) {
                if (!isOfAnother(reference.getAsString(), architecture)) {
                    on.add(reference);
                }
            }
        }
        dependency.add("dependsOn", on);
        return dependency;
    }

    private static boolean isOfAnother(String purl, Architecture architecture) {
        for (Architecture other : Architecture.values()) {
            if (other != architecture && purl.contains("classifier=linux-" + other.netty())) {
                return true;
            }
        }
        return false;
    }

    private static JsonObject runtime(Path runtime) throws IOException {
        Properties release = new Properties();
        try (InputStream in = Files.newInputStream(runtime.resolve("release"))) {
            release.load(in);
        }
        JsonObject id = new JsonObject();
        id.addProperty("expression", "GPL-2.0-only WITH Classpath-exception-2.0");
        JsonArray licenses = new JsonArray();
        licenses.add(id);
        JsonObject component = new JsonObject();
        String version = release.getProperty("JAVA_VERSION").replace("\"", "");
        component.addProperty("type", "platform");
        component.addProperty("bom-ref", "openjdk@" + version);
        component.addProperty("name", "openjdk");
        component.addProperty("version", version);
        component.add("licenses", licenses);
        return component;
    }
}
