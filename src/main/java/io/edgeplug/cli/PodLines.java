package io.edgeplug.cli;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Controls pods by lines of text: {@code run POD RESOURCE=N|ID,ID…}, {@code start POD}, {@code delete POD} and
 * {@code remove POD}. {@code restart} restarts the kubelet.
 *
 * @param kubelet reports pods to its listener
 * @param mistakes gets the mistakes in lines
 */
record PodLines(LocalKubelet kubelet, Consumer<String> mistakes) {

    private static final String CONTAINER = "main";

    /** Runs each line before it reads the next, until there are no more. */
    void follow(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        while (line != null) {
            follow(line.strip());
            line = lines.readLine();
        }
    }

    private void follow(String line) {
        List<String> words = List.of(line.split("\\s+"));
        try {
            if (words.size() > 2 && words.getFirst().equals("run")) {
                Limits limits = Limits.parse(words.subList(2, words.size()));
                kubelet.admit(new PodSpec(words.get(1), List.of(limits.container(CONTAINER, kubelet))));
                kubelet.startContainer(words.get(1), CONTAINER);
            } else if (words.size() == 2 && words.getFirst().equals("start")) {
                kubelet.startContainer(words.get(1), CONTAINER);
            } else if (words.size() == 2 && words.getFirst().equals("delete")) {
                kubelet.delete(words.get(1));
            } else if (words.size() == 2 && words.getFirst().equals("remove")) {
                kubelet.remove(words.get(1));
            } else if (line.equals("restart")) {
                restart();
            } else if (!line.isEmpty()) {
                mistakes.accept("\"" + line
                        + "\": is neither run POD RESOURCE=N…, start POD, delete POD, remove POD nor restart");
            }
        } catch (IllegalArgumentException e) {
            mistakes.accept(String.valueOf(e.getMessage()));
        } catch (AdmissionException | ContainerStartException e) {
            // The listener already has the resource and the reason.
            return;
        }
    }

    private void restart() {
        try {
            kubelet.restart();
        } catch (IOException e) {
            mistakes.accept("the kubelet cannot start again: " + e.getMessage());
        }
    }
}
