package io.edgeplug.box;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A real API server, as an administrator of the cluster uses it. */
final class ClusterApi implements AutoCloseable {

    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
    static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    static final String DEVICE_CLASSES = "/apis/resource.k8s.io/v1/deviceclasses";
    static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";

    /** What an emulated node does takes minutes. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(60);
    private static final int OK = 200;
    private static final int ERRORS = 300;
    private static final char[] PASSWORD = "admin".toCharArray();

    private final HttpClient client;
    private final String server;

    /**
     * The API server at a port of this machine.
     *
     * @param keys the directory with {@code ca.crt}, and with {@code admin.p12}, the administrator's certificate and key
     */
    ClusterApi(int port, Path keys) throws IOException {
        this.server = "https://127.0.0.1:" + port;
        this.client = HttpClient.newBuilder().sslContext(tls(keys)).build();
    }

    private static SSLContext tls(Path keys) throws IOException {
        try (InputStream admin = Files.newInputStream(keys.resolve("admin.p12"));
                InputStream authority = Files.newInputStream(keys.resolve("ca.crt"))) {
            KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(admin, PASSWORD);
            KeyManagerFactory identity = KeyManagerFactory.getInstance("PKIX");
            identity.init(own, PASSWORD);
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "cluster", CertificateFactory.getInstance("X.509").generateCertificate(authority));
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identity.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the administrator's certificate cannot be used", e);
        }
    }

    /** Creates an object of a collection, which is written in YAML. */
    JsonObject create(String collection, String yaml) throws IOException, InterruptedException {
        return exchange("POST", collection, HttpRequest.BodyPublishers.ofString(yaml));
    }

    /** Deletes an object, and does not wait until it is gone. */
    void delete(String path) throws IOException, InterruptedException {
        JsonObject ignored = exchange("DELETE", path, HttpRequest.BodyPublishers.noBody());
    }

    JsonObject read(String path) throws IOException, InterruptedException {
        return exchange("GET", path, HttpRequest.BodyPublishers.noBody());
    }

    private JsonObject exchange(String method, String path, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        HttpRequest request = request(path)
                .timeout(ANSWERS_WITHIN)
                .header("Content-Type", "application/yaml")
                .method(method, body)
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() < OK || answer.statusCode() >= ERRORS) {
            throw new IOException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server + path));
    }

    /**
     * Waits until the objects of a collection are as wanted, and returns what that function has made of them. It is
     * called with all of them, and again after each change.
     *
     * @param what what is waited for, in words
     * @param collection its path, with a selector if only some of its objects matter
     */
    <T> T await(String what, String collection, Function<List<JsonObject>, Optional<T>> wanted)
            throws IOException, InterruptedException, TimeoutException {
        JsonObject list = read(collection);
        Map<String, JsonObject> objects = list.getAsJsonArray("items").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .collect(Collectors.toMap(
                        ClusterApi::uid, Function.identity(), (first, next) -> next, LinkedHashMap::new));
        Optional<T> found = wanted.apply(List.copyOf(objects.values()));
        if (found.isPresent()) {
            return found.orElseThrow();
        }
        // The API server ends the watch after that time.
        String watch = collection + (collection.contains("?") ? "&" : "?") + "watch=true&timeoutSeconds="
                + PATIENCE.toSeconds() + "&resourceVersion="
                + list.getAsJsonObject("metadata").get("resourceVersion").getAsString();
        HttpResponse<Stream<String>> answer =
                client.send(request(watch).GET().build(), HttpResponse.BodyHandlers.ofLines());
        try (Stream<String> lines = answer.body()) {
            for (Iterator<String> events = lines.iterator(); events.hasNext(); ) {
                apply(JsonParser.parseString(events.next()).getAsJsonObject(), objects);
                found = wanted.apply(List.copyOf(objects.values()));
                if (found.isPresent()) {
                    return found.orElseThrow();
                }
            }
        }
        throw new TimeoutException(
                what + ": not within " + PATIENCE.toMinutes() + " minutes; " + collection + " has " + objects.values());
    }

    private static void apply(JsonObject event, Map<String, JsonObject> objects) throws IOException {
        if (!event.has("type") || event.get("type").getAsString().equals("ERROR")) {
            throw new IOException("the watch failed: " + event);
        }
        JsonObject object = event.getAsJsonObject("object");
        if (event.get("type").getAsString().equals("DELETED")) {
            objects.remove(uid(object));
        } else {
            objects.put(uid(object), object);
        }
    }

    private static String uid(JsonObject object) {
        return object.getAsJsonObject("metadata").get("uid").getAsString();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
