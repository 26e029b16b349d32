package io.edgeplug.api.dra;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Asks an API server that means harm for everything that edgeplug asks for. Prints what came of it. */
final class HostileAnswersProcess {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** As many as the daemon asks for at a time, and some that wait. */
    private static final int AT_A_TIME = 12;

    private HostileAnswersProcess() {}

    /** Asks with the identity in the file that the argument names. */
    public static void main(String[] args) throws Exception {
        try (ApiServer api = new ApiServer(Path.of(args[0]), null)) {
            List<Thread> asking = new ArrayList<>();
            for (int i = 0; i < AT_A_TIME; i++) {
                asking.add(Thread.ofVirtual().start(() -> print("claim", () -> claim(api))));
            }
            for (Thread one : asking) {
                one.join();
            }
            print("node", () -> api.ask(ApiRequest.node("node1"), ApiReading.uid(), PATIENCE));
            for (int i = 0; i < 2; i++) {
                print(
                        "list",
                        () -> api.ask(ApiRequest.slices("node1", "edgeplug.io"), SliceList.reading(), PATIENCE)
                                .slices()
                                .size());
            }
            print("watch", () -> watched(api));
        }
    }

    private interface Asking {
        Object ask() throws IOException, InterruptedException;
    }

    private static void print(String what, Asking asking) {
        String result;
        try {
            result = String.valueOf(asking.ask());
        } catch (IOException e) {
            result = "refused: " + e.getMessage();
        } catch (InterruptedException e) {
            result = "interrupted";
        }
        System.out.println(what + ": " + result.substring(0, Math.min(200, result.length())));
    }

    private static Object claim(ApiServer api) throws IOException, InterruptedException {
        return api.ask(
                        ApiRequest.claim("default", "large"),
                        ClaimAllocation.reading("uid-of-large", "edgeplug.io", "node1"),
                        PATIENCE)
                .results()
                .getFirst()
                .device();
    }

    /** Nobody takes the names meanwhile. */
    private static Object watched(ApiServer api) throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        SliceWatch[] watch = new SliceWatch[1];
        watch[0] = new SliceWatch(api, ApiRequest.watchSlices("node1", "edgeplug.io", "1"), PATIENCE, () -> {
            if (watch[0] != null && watch[0].isOver()) {
                over.countDown();
            }
        });
        boolean ignored = over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return watch[0].isOver() + " with " + watch[0].names().size() + " names";
    }
}
