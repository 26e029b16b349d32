package io.edgeplug.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;

/** The kubelet's answer to Register, in any version: told to the registration, and the channel is closed. */
record Answer<T>(ManagedChannel channel, Progress progress) implements StreamObserver<T> {

    @Override
    public void onNext(T ok) {
        progress.accepted();
    }

    @Override
    public void onError(Throwable error) {
        progress.failed(error);
        channel.shutdownNow();
    }

    @Override
    public void onCompleted() {
        channel.shutdownNow();
    }
}
