package io.edgeplug.kubelet;

import io.grpc.stub.StreamObserver;

/** The kubelet's answer to Register, in any version of the API. */
record Answer<T>(Progress progress) implements StreamObserver<T> {

    @Override
    public void onNext(T ok) {
        progress.accepted();
    }

    @Override
    public void onError(Throwable error) {
        progress.answered();
        progress.failed(error);
    }

    @Override
    public void onCompleted() {
        progress.answered();
    }
}
