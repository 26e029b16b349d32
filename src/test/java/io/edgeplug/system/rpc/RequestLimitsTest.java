package io.edgeplug.system.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.edgeplug.PackageJvm;
import io.edgeplug.proto.dra.v1.DRAPluginGrpc;
import io.edgeplug.proto.dra.v1.NodePrepareResourcesRequest;
import io.edgeplug.proto.dra.v1.NodePrepareResourcesResponse;
import io.edgeplug.proto.status.GetRequest;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests of some MB that become many times that in memory, for a server with the heap of the package. */
@Timeout(120)
final class RequestLimitsTest {

    private static final int BYTES = 3_000_000;
    private static final int FIRST_NUMBER = 2000;

    private static final MethodDescriptor.Marshaller<InputStream> RAW = new RequestLimits.Unread();

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final UnixRpc rpc;

    RequestLimitsTest() throws IOException {
        rpc = UnixRpc.open();
    }

    /** Serves both until it is killed. */
    static final class Servers {

        private Servers() {}

        public static void main(String[] args) throws Exception {
            Path in = Path.of(args[0]);
            Server ignored = UnixRpc.open().serve(in.resolve("dra.sock"), new DRAPluginGrpc.DRAPluginImplBase() {
                @Override
                public void nodePrepareResources(
                        NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> answer) {
                    answer.onNext(NodePrepareResourcesResponse.getDefaultInstance());
                    answer.onCompleted();
                }
            });
            ignored = UnixRpc.openToGroup("status", "edgeplug")
                    .serve(in.resolve("status.sock"), new NodeStatusGrpc.NodeStatusImplBase() {
                        @Override
                        public void get(GetRequest request, StreamObserver<Node> answer) {
                            answer.onNext(Node.getDefaultInstance());
                            answer.onCompleted();
                        }
                    });
            System.out.println("serving");
            new CountDownLatch(1).await();
        }
    }

    /** What a request consists of. */
    enum Content {
        EMPTY_PARTS {
            @Override
            void write(CodedOutputStream out) throws IOException {
                for (int i = 0; i < BYTES / 2; i++) {
                    out.writeByteArray(1, new byte[0]);
                }
            }
        },
        UNKNOWN_FIELDS {
            @Override
            void write(CodedOutputStream out) throws IOException {
                for (int i = 0; i < BYTES / 5; i++) {
                    out.writeUInt32(FIRST_NUMBER + i, 1);
                }
            }
        },
        UNKNOWN_FIELDS_OF_A_GROUP {
            @Override
            void write(CodedOutputStream out) throws IOException {
                out.writeTag(1, WireFormat.WIRETYPE_START_GROUP);
                UNKNOWN_FIELDS.write(out);
                out.writeTag(1, WireFormat.WIRETYPE_END_GROUP);
            }
        },
        UNKNOWN_FIELDS_OF_A_PART {
            @Override
            void write(CodedOutputStream out) throws IOException {
                out.writeBytes(1, UNKNOWN_FIELDS.bytes());
            }
        };

        abstract void write(CodedOutputStream out) throws IOException;

        ByteString bytes() throws IOException {
            ByteString.Output bytes = ByteString.newOutput();
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            write(out);
            out.flush();
            return bytes.toByteString();
        }
    }

    /** The refusal of a request. The server then answers another one. */
    private Status.Code refusal(String socket, MethodDescriptor<?, ?> method, ByteString bytes) throws Exception {
        Process server = PackageJvm.start(Servers.class, directory.toString());
        try {
            assertThat(server.inputReader().readLine()).isEqualTo("serving");
            StatusRuntimeException refused =
                    catchThrowableOfType(StatusRuntimeException.class, () -> call(socket, method, bytes));
            assertThat(call(socket, method, ByteString.EMPTY)).as("answer").isTrue();
            return refused.getStatus().getCode();
        } finally {
            Process ignored = server.destroyForcibly();
        }
    }

    private boolean call(String socket, MethodDescriptor<?, ?> method, ByteString bytes) {
        ManagedChannel channel = rpc.dial(directory.resolve(socket));
        try {
            MethodDescriptor<InputStream, InputStream> raw = MethodDescriptor.newBuilder(RAW, RAW)
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName(method.getFullMethodName())
                    .build();
            CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS);
            return ClientCalls.blockingUnaryCall(channel, raw, options, bytes.newInput()) != null;
        } finally {
            channel.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestOfTheKubeletIsRefusedBeforeItIsDecoded(Content content) throws Exception {
        assertThat(refusal("dra.sock", DRAPluginGrpc.getNodePrepareResourcesMethod(), content.bytes()))
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    @ParameterizedTest
    @EnumSource
    void requestForTheStatusIsRefusedBeforeItIsReceived(Content content) throws Exception {
        assertThat(refusal("status.sock", NodeStatusGrpc.getGetMethod(), content.bytes()))
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }
}
