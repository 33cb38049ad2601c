// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import com.google.common.io.ByteStreams;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A server of gRPC before a real etcd. It passes calls on, or answers as the test has told it to. */
public final class ScriptedEtcd implements AutoCloseable {
    /** What is done with a call. */
    public sealed interface Script {
        /** It gets etcd's answers. */
        record Pass() implements Script {}

        /** It is refused before etcd has seen it. */
        record Refuse(Status status) implements Script {}

        /** etcd does it, and then it is said to have failed. */
        record FailAfterwards(Status status) implements Script {}

        /** etcd does it, and the answers are dropped. */
        record DropAnswers() implements Script {}

        /** etcd does it, and the answer comes after this. */
        record AnswerLater(CompletableFuture<?> letGo) implements Script {}
    }

    /** Chooses by the name of the method, such as {@code KV/Txn}. */
    public interface Choice {
        Script of(String method);
    }

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return ByteStreams.toByteArray(stream);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    };

    private final Optional<ManagedChannel> etcd;
    private final Server server;
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private volatile Choice choice = method -> new Script.Pass();

    private ScriptedEtcd(Optional<ManagedChannel> etcd) throws IOException {
        this.etcd = etcd;
        this.server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .fallbackHandlerRegistry(new HandlerRegistry() {
                    @Override
                    public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
                        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.newBuilder(BYTES, BYTES)
                                .setFullMethodName(name)
                                .setType(MethodDescriptor.MethodType.UNKNOWN)
                                .build();
                        return ServerMethodDefinition.create(method, ScriptedEtcd.this::begin);
                    }
                })
                .build()
                .start();
    }

    /** @param port of a real etcd */
    public static ScriptedEtcd before(int port) throws IOException {
        return new ScriptedEtcd(Optional.of(
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build()));
    }

    public String endpoint() {
        return "127.0.0.1:" + server.getPort();
    }

    public void script(Choice now) {
        choice = now;
    }

    /** The methods of all calls up to now. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    private ServerCall.Listener<byte[]> begin(ServerCall<byte[], byte[]> client, Metadata headers) {
        String name = client.getMethodDescriptor().getFullMethodName().replace("etcdserverpb.", "");
        calls.add(name);
        Script script = choice.of(name);
        if (script instanceof Script.Refuse refusal) {
            client.close(refusal.status(), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        ClientCall<byte[], byte[]> onward =
                etcd.orElseThrow().newCall(client.getMethodDescriptor(), CallOptions.DEFAULT);
        onward.start(new Answers(client, name, script), headers);
        onward.request(1_000_000);
        client.request(1_000_000);
        return new ServerCall.Listener<>() {
            @Override
            public void onMessage(byte[] message) {
                onward.sendMessage(message);
            }

            @Override
            public void onHalfClose() {
                onward.halfClose();
            }

            @Override
            public void onCancel() {
                onward.cancel("the client does not want it any more", null);
            }
        };
    }

    /** What etcd says, for the client. */
    private final class Answers extends ClientCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> client;
        private final String name;
        private final Script script;

        Answers(ServerCall<byte[], byte[]> client, String name, Script script) {
            this.client = client;
            this.name = name;
            this.script = script;
        }

        @Override
        public void onHeaders(Metadata headers) {
            if (script instanceof Script.Pass) {
                client.sendHeaders(headers);
            }
        }

        /** A stream that is open hears of a change of the script. */
        @Override
        public void onMessage(byte[] message) {
            boolean dropped = choice.of(name) instanceof Script.DropAnswers;
            if (script instanceof Script.Pass && !dropped) {
                client.sendMessage(message);
            } else if (script instanceof Script.AnswerLater later) {
                later.letGo().thenRun(() -> {
                    client.sendHeaders(new Metadata());
                    client.sendMessage(message);
                    client.close(Status.OK, new Metadata());
                });
            } else if (script instanceof Script.FailAfterwards failure) {
                client.close(failure.status(), new Metadata());
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (script instanceof Script.Pass && !client.isCancelled()) {
                client.close(status, trailers);
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        etcd.ifPresent(ManagedChannel::shutdownNow);
    }
}
