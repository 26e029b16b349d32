package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PodLinesTest {

    @TempDir
    private Path directory = Path.of("");

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final List<String> mistakes = new CopyOnWriteArrayList<>();

    @Test
    void lineThatIsWrongIsToldAndTheNextIsFollowed() throws IOException {
        follow("dance\n\nrun pod\nrun pod example.com/a=0\nstart pod\nrun pod example.com/a=1\n");

        assertThat(mistakes)
                .containsExactly(
                        "\"dance\": is neither run POD RESOURCE=N…, start POD, delete POD, remove POD nor restart",
                        "\"run pod\": is neither run POD RESOURCE=N…, start POD, delete POD, remove POD nor restart",
                        "\"example.com/a=0\": the number of devices must be from 1 to 99999",
                        "pod: is no pod of this kubelet");
        assertThat(told)
                .endsWith("pod/main: admitted without example.com/a, which no plugin has listed", "pod/main: started");
    }

    @Test
    void kubeletIsRestarted() throws IOException {
        follow("restart\n");

        assertThat(mistakes).isEmpty();
        assertThat(told).contains("restarted");
    }

    private void follow(String lines) throws IOException {
        try (LocalKubelet kubelet = LocalKubelet.open(directory, this::tell)) {
            new PodLines(kubelet, mistakes::add).follow(new BufferedReader(new StringReader(lines)));
        }
    }

    private void tell(KubeletEvent event) {
        told.add(event.text());
    }
}
