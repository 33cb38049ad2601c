package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Connection;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.Receiver;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.util.function.Consumer;

/** Answers without an end. What arrives is told on the loop, in order, and nothing after its end. */
final class Stream implements Receiver, AutoCloseable {
    private final Host host;
    private final Connection connection;
    private final Consumer<Message> told;
    private final Consumer<IOException> ended;
    private volatile boolean over;
    private volatile int stream;

    Stream(Host host, Connection connection, Consumer<Message> told, Consumer<IOException> ended) {
        this.host = host;
        this.connection = connection;
        this.told = told;
        this.ended = ended;
    }

    Connection connection() {
        return connection;
    }

    void open(Method method, Message request, String token) {
        if (!over) {
            stream = connection.send(method.headers(connection.server(), token), request, false, this);
        }
    }

    @Override
    public void received(Message message) {
        host.post(() -> {
            if (!over) {
                told.accept(message);
            }
        });
    }

    @Override
    public void ended(IOException why) {
        host.post(() -> {
            if (!over) {
                over = true;
                ended.accept(why);
            }
        });
    }

    /** From any thread. */
    @Override
    public void close() {
        over = true;
        connection.cancel(stream);
    }
}
