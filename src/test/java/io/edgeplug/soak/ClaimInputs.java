package io.edgeplug.soak;

import io.edgeplug.api.dra.RawApiServer;
import io.edgeplug.proto.dra.v1.Claim;
import io.edgeplug.proto.dra.v1.DRAPluginGrpc;
import io.edgeplug.proto.dra.v1.NodePrepareResourceResponse;
import io.edgeplug.proto.dra.v1.NodePrepareResourcesRequest;
import io.edgeplug.proto.dra.v1.NodeUnprepareResourcesRequest;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** What the driver of Dynamic Resource Allocation reads: answers of the API server, kubeconfigs, claims and notes. */
final class ClaimInputs {

    private static final int ROUNDS = 60;
    private static final int AT_A_TIME = 8;
    private static final int KUBECONFIGS = 150;
    private static final int CALLS = 200;
    private static final int CLAIMS = 64;
    private static final long DEADLINE_SECONDS = 20;

    private ClaimInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("api-answers", 12, ClaimInputs::answers),
                new Production("kubeconfigs", 12, ClaimInputs::kubeconfigs),
                new Production("claim-names", 20, ClaimInputs::names),
                new Production("claims-of-one-device", 10, ClaimInputs::oneDevice),
                new Production("claim-calls", 20, ClaimInputs::calls),
                new Production("api-silent", 1, ClaimInputs::silence));
    }

    /** Something that is done while an API server answers. */
    private interface Work {
        void run() throws Exception;
    }

    private static void raiseLoopback() throws Exception {
        int ignored =
                new ProcessBuilder("ip", "link", "set", "lo", "up").start().waitFor();
    }

    /** Has the daemon speak with that server. */
    private static int with(Attack attack, RawApiServer.Answering answering, Work work) throws Exception {
        // A network namespace begins without.
        raiseLoopback();
        try (RawApiServer api = RawApiServer.open(answering)) {
            api.writeIdentity(attack.ground().root());
            register(attack.rpc(), attack.ground());
            work.run();
            return api.requests();
        } finally {
            boolean ignored = Files.deleteIfExists(attack.ground().kubeconfig());
        }
    }

    private static ManagedChannel driver(Attack attack) {
        return attack.rpc().dial(attack.ground().driver().resolve("edgeplug.io/dra.sock"));
    }

    /** As the kubelet does when it has found the driver. */
    static void register(UnixRpc rpc, Ground ground) throws IOException {
        Path socket = ground.registry().resolve("edgeplug.io-reg.sock");
        long end = System.nanoTime() + Attack.PATIENCE_MILLIS * 1_000_000;
        while (!Files.exists(socket) && System.nanoTime() < end) {
            LockSupport.parkNanos(10_000_000);
        }
        ManagedChannel channel = rpc.dial(socket);
        try {
            var ignored = RegistrationGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .notifyRegistrationStatus(RegistrationStatus.newBuilder()
                            .setPluginRegistered(true)
                            .build());
        } catch (StatusRuntimeException e) {
            throw new IOException("the driver does not take its registration: " + e.getStatus(), e);
        } finally {
            channel.shutdownNow();
        }
    }

    /** Why claims have no devices; nothing about those that have. */
    private static List<String> prepare(ManagedChannel driver, List<Claim> claims) {
        try {
            return DRAPluginGrpc.newBlockingStub(driver)
                    .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .nodePrepareResources(NodePrepareResourcesRequest.newBuilder()
                            .addAllClaims(claims)
                            .build())
                    .getClaimsMap()
                    .values()
                    .stream()
                    .map(NodePrepareResourceResponse::getError)
                    .filter(error -> !error.isEmpty())
                    .toList();
        } catch (StatusRuntimeException e) {
            return List.of(String.valueOf(e.getStatus()));
        }
    }

    private static void release(ManagedChannel driver, List<Claim> claims) {
        try {
            var ignored = DRAPluginGrpc.newBlockingStub(driver)
                    .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .nodeUnprepareResources(NodeUnprepareResourcesRequest.newBuilder()
                            .addAllClaims(claims)
                            .build());
        } catch (StatusRuntimeException e) {
            // whatever it says, it must live
        }
    }

    /** The first answers are about the node and its slices, and all others about claims. */
    private static int answers(Attack attack, Random random) throws Exception {
        long seed = random.nextLong();
        return with(
                attack, (request, exchange) -> ApiBodies.answer(exchange, new Random(seed ^ System.nanoTime())), () -> {
                    ManagedChannel driver = driver(attack);
                    for (int i = 0; i < ROUNDS && attack.target().isAlive(); i++) {
                        List<Claim> claims = IntStream.range(0, 1 + random.nextInt(AT_A_TIME))
                                .mapToObj(number -> RawApiServer.named("c" + number))
                                .toList();
                        List<String> ignored = prepare(driver, claims);
                        release(driver, claims);
                    }
                    driver.shutdownNow();
                });
    }

    /** Nobody is answered, so all claims of many calls wait. */
    private static int silence(Attack attack, Random random) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        return with(attack, (request, exchange) -> await(over), () -> {
            ManagedChannel driver = driver(attack);
            try (ExecutorService kubelets = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < ROUNDS; i++) {
                    List<Claim> claims = IntStream.range(i * AT_A_TIME, (i + 1) * AT_A_TIME)
                            .mapToObj(number -> RawApiServer.named("c" + number))
                            .toList();
                    Future<List<String>> ignored = kubelets.submit(() -> prepare(driver, claims));
                }
            } finally {
                over.countDown();
                driver.shutdownNow();
            }
        });
    }

    private static void await(CountDownLatch over) throws IOException {
        try {
            boolean ignored = over.await(2 * DEADLINE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Each is read, because a claim needs the API server. */
    private static int kubeconfigs(Attack attack, Random random) throws Exception {
        ManagedChannel driver = driver(attack);
        for (int i = 0; i < KUBECONFIGS && attack.target().isAlive(); i++) {
            Ground.replace(
                    attack.ground().kubeconfig(), ApiBodies.kubeconfig(random).getBytes(StandardCharsets.UTF_8));
            List<String> ignored = prepare(driver, List.of(RawApiServer.named("c1")));
        }
        driver.shutdownNow();
        boolean ignored = Files.deleteIfExists(attack.ground().kubeconfig());
        return KUBECONFIGS;
    }

    /** Names, namespaces and UIDs that become parts of paths. */
    private static int names(Attack attack, Random random) {
        ManagedChannel driver = driver(attack);
        int sent = 0;
        for (int i = 0; i < CALLS / 10 && attack.target().isAlive(); i++) {
            List<Claim> claims = new ArrayList<>();
            for (int j = random.nextInt(CLAIMS); j >= 0; j--) {
                claims.add(Claim.newBuilder()
                        .setNamespace(Hostile.text(random).replaceAll("[\\uD800-\\uDFFF]", ""))
                        .setName(random.nextBoolean() ? "c" : Hostile.name(random))
                        .setUid(random.nextBoolean() ? "../../x" + j : Hostile.name(random))
                        .build());
            }
            List<String> ignored = prepare(driver, claims);
            release(driver, claims);
            sent += 2 * claims.size();
        }
        driver.shutdownNow();
        return sent;
    }

    /** The scheduler gives a device to one claim only, but the node must not rely on that. */
    private static int oneDevice(Attack attack, Random random) throws Exception {
        // What another production has left there would keep all devices from all claims.
        boolean ignored = Files.deleteIfExists(attack.ground().kubeletDir().resolve("kubelet_internal_checkpoint"));
        return with(attack, ApiBodies::answerSoundly, () -> {
            List<Claim> claims = IntStream.range(0, AT_A_TIME)
                    .mapToObj(number -> RawApiServer.named("c" + number))
                    .toList();
            ManagedChannel driver = driver(attack);
            try (ExecutorService kubelets = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<List<String>>> given = claims.stream()
                        .map(claim -> kubelets.submit(() -> prepare(driver, List.of(claim))))
                        .toList();
                List<String> refusals = new ArrayList<>();
                for (Future<List<String>> one : given) {
                    refusals.addAll(one.get());
                }
                if (refusals.size() != claims.size() - 1) {
                    attack.found(claims.size() - refusals.size() + " claims have one device: "
                            + Cleanliness.visible(refusals.toString()));
                }
            }
            release(driver, claims);
            driver.shutdownNow();
        });
    }

    /** Whole calls that are spoilt, and some noise, on both sockets at once. */
    private static int calls(Attack attack, Random random) throws Exception {
        byte[] message = NodePrepareResourcesRequest.newBuilder()
                .addClaims(RawApiServer.named("c1"))
                .build()
                .toByteArray();
        List<Path> sockets = List.of(
                attack.ground().driver().resolve("edgeplug.io/dra.sock"),
                attack.ground().registry().resolve("edgeplug.io-reg.sock"));
        List<String> methods = List.of(
                DRAPluginGrpc.SERVICE_NAME + "/NodePrepareResources",
                DRAPluginGrpc.SERVICE_NAME + "/NodeUnprepareResources",
                RegistrationGrpc.SERVICE_NAME + "/GetInfo",
                "v1alpha1.DRAResourceHealth/NodeWatchResources");
        CallInputs.flood(
                attack,
                random,
                CALLS,
                () -> sockets.get(random.nextInt(sockets.size())),
                () -> Http2.call(methods.get(random.nextInt(methods.size())), message));
        return CALLS;
    }
}
