package io.edgeplug.box;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeoutException;

/** The host's end of the shell in the node, files/usr/lib/node/shell. */
final class Shell {

    /** More than the shell needs to kill a script that takes too long, and to answer. */
    private static final Duration GRACE = Duration.ofSeconds(60);

    private final LineSocket socket;

    Shell(LineSocket socket) {
        this.socket = socket;
    }

    /** The result of a script. */
    record Outcome(int status, String out, String err) {}

    /** Waits until the node is up. */
    void awaitReady(Duration patience) throws IOException, InterruptedException, TimeoutException {
        String line = socket.next(patience);
        while (!line.equals("ready")) {
            line = socket.next(patience);
        }
    }

    /** Runs a script and does not wait for its end, which may be the shell's own. */
    void send(String script, Duration patience) throws IOException, InterruptedException {
        socket.send(patience.toSeconds() + " "
                + Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8)));
    }

    /** Runs a script, which is killed after that time; its status is then 124. */
    Outcome run(String script, Duration patience) throws IOException, InterruptedException, TimeoutException {
        send(script, patience);
        String[] words = socket.next(patience.plus(GRACE)).split(" ", 3);
        if (words.length != 3 || !words[0].equals("done")) {
            throw new IOException("the node's shell says " + String.join(" ", words));
        }
        String[] outputs = words[2].split(":", 2);
        return new Outcome(Integer.parseInt(words[1]), decode(outputs[0]), decode(outputs[1]));
    }

    private static String decode(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }
}
