package io.edgeplug.soak;

import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import io.edgeplug.api.dra.RawApiServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** What an API server says that means harm, or none, and the kubeconfigs that lead to it. */
final class ApiBodies {

    private static final int MOST_BYTES = 4 << 20;
    private static final int CLAIMS = 8;

    /** The name that the API server knows the first of the claimed VFs by. */
    private static final String DEVICE = "0000-3e-01-0";

    private static final List<String> JSON = List.of(
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"metadata\":",
            "\"items\":",
            "\"status\":",
            "\"uid\":",
            "\"spec\":",
            "\"allocation\":",
            "\"devices\":",
            "\"results\":",
            "\"device\":\"" + DEVICE + "\"",
            "\"config\":",
            "\"opaque\":",
            "\"parameters\":",
            "null",
            "true",
            "1e999999",
            "-0",
            "\"x\"",
            "\"resourceVersion\":\"1\"");

    private static final List<String> YAML = List.of(
            "\n",
            "\n  ",
            "\n- ",
            "\n  - ",
            "clusters:",
            "contexts:",
            "users:",
            "name: a",
            "current-context: a",
            "cluster:",
            "context:",
            "user:",
            "server: https://a:1",
            "server: https://u:hunter2@127.0.0.1:99999",
            "token: a",
            "certificate-authority: /dev/zero",
            "certificate-authority-data: QQ==",
            "&a ",
            "*a",
            "!!java.net.URL [x]",
            "{",
            "}",
            "[",
            "]",
            "? ",
            "|",
            "\u0000",
            "tokenFile: /proc/self/mem",
            "client-key: /dev/tty",
            "<<: *a",
            "--- ");

    private ApiBodies() {}

    /** Anything. */
    static void answer(HttpExchange exchange, Random random) throws IOException {
        if (random.nextInt(6) == 0) {
            for (int i = random.nextInt(200); i > 0; i--) {
                exchange.getResponseHeaders().add("X-A" + i, "a".repeat(random.nextInt(1000)));
            }
        }
        int status = random.nextInt(3) == 0 ? 100 + random.nextInt(500) : 200;
        exchange.sendResponseHeaders(status < 200 ? 200 : status, 0);
        exchange.getResponseBody().write(body(random));
    }

    private static byte[] body(Random random) {
        int size = Hostile.size(random, MOST_BYTES);
        String claim = RawApiServer.claim("c" + random.nextInt(CLAIMS), DEVICE).toString();
        String text = switch (random.nextInt(10)) {
            case 0 -> "[".repeat(size);
            case 1 -> "{\"a\":".repeat(size / 5);
            case 2 -> "{\"items\":[" + "{},".repeat(size / 3) + "{}]}";
            case 3 -> "\"" + "x".repeat(size) + "\"";
            case 4 -> claim.replaceFirst("\\{", "{\"labels\":{\"a\":\"" + "x".repeat(size) + "\"},");
            case 5 -> claim.replace(DEVICE, Hostile.text(random).replace("\"", ""));
            case 6 -> "";
            case 7 -> claim;
            default -> Hostile.babble(JSON, random, 400);
        };
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return random.nextInt(4) == 0 ? Hostile.spoilt(bytes, random) : bytes;
    }

    /** A claim of each name, all of them with the first of the claimed VFs, and nothing else. */
    static void answerSoundly(String request, HttpExchange exchange) throws IOException {
        JsonObject answer = new JsonObject();
        int name = request.lastIndexOf('/') + 1;
        if (request.contains("/resourceclaims/")) {
            answer = RawApiServer.claim(request.substring(name), DEVICE);
        }
        exchange.sendResponseHeaders(answer.isEmpty() ? 404 : 200, 0);
        exchange.getResponseBody().write(answer.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** A kubeconfig that is none. */
    static String kubeconfig(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> "[".repeat(Hostile.size(random, 1 << 20));
            case 1 -> "- a\n".repeat(Hostile.size(random, 250_000));
            case 2 -> "a: &a [x]\n" + "b: [*a, *a]\n".repeat(Hostile.size(random, 1_000));
            default -> Hostile.babble(YAML, random, 300);
        };
    }
}
