package io.edgeplug.kubelet;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;

/** The kubelet's answer to Register, in any version of the API. */
record Answer<Q, A>(Progress progress) implements ClientResponseObserver<Q, A> {

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> call) {
        progress.asked(() -> call.cancel("the socket is given up", null), KubeletApi.PATIENCE);
    }

    @Override
    public void onNext(A ok) {
        progress.accepted();
    }

    @Override
    public void onError(Throwable error) {
        progress.failed(error);
    }

    @Override
    public void onCompleted() {
        // The answer itself was everything.
    }
}
