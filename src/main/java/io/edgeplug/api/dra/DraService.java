package io.edgeplug.api.dra;

import io.edgeplug.api.dra.Claims.Name;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.proto.dra.v1.Claim;
import io.edgeplug.proto.dra.v1.DRAPluginGrpc;
import io.edgeplug.proto.dra.v1.Device;
import io.edgeplug.proto.dra.v1.NodePrepareResourceResponse;
import io.edgeplug.proto.dra.v1.NodePrepareResourcesRequest;
import io.edgeplug.proto.dra.v1.NodePrepareResourcesResponse;
import io.edgeplug.proto.dra.v1.NodeUnprepareResourceResponse;
import io.edgeplug.proto.dra.v1.NodeUnprepareResourcesRequest;
import io.edgeplug.proto.dra.v1.NodeUnprepareResourcesResponse;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.kernel.PlainText;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The calls of the kubelet. Each claim of a call has a thread of its own, because devices take their time. */
final class DraService extends DRAPluginGrpc.DRAPluginImplBase {

    /** The versions that kubelets know, as they are registered. Their messages are the same. */
    static final List<String> VERSIONS = List.of("v1.DRAPlugin", "v1beta1.DRAPlugin");

    private static final String OLDER = "k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin";

    /** A node runs some hundred pods with a few claims each. Each claim of a call has a thread, which may wait. */
    static final int MAX_CLAIMS = 1024;

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");

    private final Claims claims;
    private final Semaphore room = new Semaphore(MAX_CLAIMS);

    DraService(Claims claims) {
        this.claims = claims;
    }

    /** The service in each version. */
    List<ServerServiceDefinition> services() {
        return inBoth(bindService(), OLDER);
    }

    /** A service, and the same under the name of an older version, whose messages are the same. */
    static List<ServerServiceDefinition> inBoth(ServerServiceDefinition newest, String older) {
        ServerServiceDefinition.Builder other = ServerServiceDefinition.builder(older);
        newest.getMethods().forEach(method -> other.addMethod(renamed(older, method)));
        return List.of(newest, other.build());
    }

    private static <Q, A> ServerMethodDefinition<Q, A> renamed(String version, ServerMethodDefinition<Q, A> method) {
        MethodDescriptor<Q, A> descriptor = method.getMethodDescriptor();
        String name = MethodDescriptor.generateFullMethodName(version, String.valueOf(descriptor.getBareMethodName()));
        return ServerMethodDefinition.create(
                descriptor.toBuilder()
                        .setFullMethodName(name)
                        .setSchemaDescriptor(null)
                        .build(),
                method.getServerCallHandler());
    }

    @Override
    public void nodePrepareResources(
            NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> answer) {
        run(
                request.getClaimsList(),
                this::prepare,
                text -> NodePrepareResourceResponse.newBuilder().setError(text).build(),
                outcomes -> NodePrepareResourcesResponse.newBuilder()
                        .putAllClaims(outcomes)
                        .build(),
                answer);
    }

    private NodePrepareResourceResponse prepare(Name name) throws IOException, InterruptedException {
        NodePrepareResourceResponse.Builder response = NodePrepareResourceResponse.newBuilder();
        List<PreparedClaim.Device> told = new ArrayList<>();
        for (PreparedClaim.Device device : claims.prepare(name)) {
            // A claim may consume several shares of a device at once.
            if (told.stream().noneMatch(device::isToldAs)) {
                told.add(device);
                response.addDevices(device(device));
            }
        }
        return response.build();
    }

    private static Device device(PreparedClaim.Device device) {
        Device.Builder told = Device.newBuilder()
                .addRequestNames(device.request())
                .setPoolName(device.pool())
                .setDeviceName(device.name());
        device.share().ifPresent(told::setShareId);
        device.cdi().ifPresent(told::addCdiDeviceIds);
        return told.build();
    }

    @Override
    public void nodeUnprepareResources(
            NodeUnprepareResourcesRequest request, StreamObserver<NodeUnprepareResourcesResponse> answer) {
        run(
                request.getClaimsList(),
                this::release,
                text -> NodeUnprepareResourceResponse.newBuilder()
                        .setError(text)
                        .build(),
                outcomes -> NodeUnprepareResourcesResponse.newBuilder()
                        .putAllClaims(outcomes)
                        .build(),
                answer);
    }

    private NodeUnprepareResourceResponse release(Name name) throws IOException, InterruptedException {
        claims.release(name);
        return NodeUnprepareResourceResponse.getDefaultInstance();
    }

    /** The work for one claim, which may wait. */
    private interface Work<T> {
        T of(Name name) throws IOException, InterruptedException;
    }

    /** Answers on a thread of its own, because the loop must not wait. */
    private <T, A> void run(
            List<Claim> all,
            Work<T> work,
            Function<String, T> failure,
            Function<Map<String, T>, A> answer,
            StreamObserver<A> observer) {
        if (!room.tryAcquire(all.size())) {
            observer.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("Other claims are being prepared.")
                    .asRuntimeException());
            return;
        }
        Front.DRA.virtual("claims").start(() -> {
            try {
                boolean isAnswered = Front.DRA.attempt(() -> {
                    observer.onNext(answer.apply(each(all, work, failure)));
                    observer.onCompleted();
                });
                if (!isAnswered) {
                    observer.onError(Status.INTERNAL.asRuntimeException());
                }
            } catch (InterruptedException e) {
                observer.onError(Status.CANCELLED.asRuntimeException());
            } finally {
                room.release(all.size());
            }
        });
    }

    /** The result of each claim, by its UID. A claim that fails does not affect the others. */
    private static <T> Map<String, T> each(List<Claim> all, Work<T> work, Function<String, T> failure)
            throws InterruptedException {
        Map<String, FutureTask<T>> running = new LinkedHashMap<>();
        for (Claim claim : all) {
            FutureTask<T> task = new FutureTask<>(() -> work.of(name(claim)));
            if (running.putIfAbsent(claim.getUid(), task) == null) {
                Front.DRA.virtual("claim").start(task);
            }
        }
        Map<String, T> outcomes = new LinkedHashMap<>();
        for (Map.Entry<String, FutureTask<T>> one : running.entrySet()) {
            try {
                outcomes.put(one.getKey(), one.getValue().get());
            } catch (ExecutionException e) {
                outcomes.put(one.getKey(), failure.apply(reason(Objects.requireNonNull(e.getCause()))));
            }
        }
        return outcomes;
    }

    private static String reason(Throwable failure) {
        if (failure instanceof IOException || failure instanceof InterruptedException) {
            return PlainText.of(String.valueOf(failure.getMessage()));
        }
        // The claim is noted before anything is done for it, so its devices stay held until it is released.
        Front.DRA.note(failure);
        return "A bug in edgeplug has ended the work for the claim, see its log.";
    }

    private static Name name(Claim claim) throws IOException {
        for (String name : List.of(claim.getNamespace(), claim.getName())) {
            if (name.length() > Json.MAX_NAME || !NAME.matcher(name).matches()) {
                throw new IOException("The claim's name or namespace is none of Kubernetes.");
            }
        }
        return new Name(claim.getNamespace(), claim.getName(), claim.getUid());
    }
}
