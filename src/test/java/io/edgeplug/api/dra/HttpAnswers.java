package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** How a {@link StrictApiServer} reads a request and answers it. */
final class HttpAnswers {

    private HttpAnswers() {}

    static void refuse(HttpExchange exchange, StrictApiServer.Answer problem) throws IOException {
        problem.headers().forEach((name, value) -> exchange.getResponseHeaders().add(name, value));
        send(exchange, problem.status(), Json.of("kind", "Status", "message", problem.message()));
    }

    static void send(HttpExchange exchange, int status, JsonObject json) throws IOException {
        byte[] body = json.toString().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    static Map<String, String> query(HttpExchange exchange) {
        Map<String, String> query = new HashMap<>();
        String text = Objects.requireNonNullElse(exchange.getRequestURI().getRawQuery(), "");
        for (String one : text.split("&", -1)) {
            String[] parts = one.split("=", 2);
            query.put(parts[0], parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return query;
    }
}
