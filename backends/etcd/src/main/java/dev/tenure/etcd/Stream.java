package dev.tenure.etcd;

import dev.tenure.spi.Host;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** One response without an end, line by line. What arrives is told on the loop, in order, and nothing after its end. */
final class Stream implements Flow.Subscriber<String>, AutoCloseable {
    private final Host host;
    private final URI endpoint;
    private final Consumer<Json> line;
    private final Consumer<Throwable> ended;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<CompletableFuture<HttpResponse<Void>>> sent = new AtomicReference<>();
    private final AtomicReference<Flow.Subscription> subscription = new AtomicReference<>();

    Stream(Host host, URI endpoint, Consumer<Json> line, Consumer<Throwable> ended) {
        this.host = host;
        this.endpoint = endpoint;
        this.line = line;
        this.ended = ended;
    }

    URI endpoint() {
        return endpoint;
    }

    void open(HttpClient http, HttpRequest request) {
        CompletableFuture<HttpResponse<Void>> exchange = http.sendAsync(request, BodyHandlers.fromLineSubscriber(this));
        sent.set(exchange);
        Answers.follow(exchange, response -> {}, this::onError);
        if (over.get()) {
            exchange.cancel(true);
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription began) {
        subscription.set(began);
        if (over.get()) {
            began.cancel();
        } else {
            began.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(String text) {
        if (text.isBlank()) {
            return;
        }
        try {
            Json json = Json.parse(text);
            host.post(() -> {
                if (!over.get()) {
                    line.accept(json);
                }
            });
        } catch (IllegalArgumentException notJson) {
            onError(notJson);
        }
    }

    @Override
    public void onError(Throwable failure) {
        host.post(() -> {
            if (over.compareAndSet(false, true)) {
                stop();
                ended.accept(failure);
            }
        });
    }

    @Override
    public void onComplete() {
        onError(new IOException("the stream has ended"));
    }

    @Override
    public void close() {
        if (over.compareAndSet(false, true)) {
            stop();
        }
    }

    private void stop() {
        Flow.Subscription running = subscription.get();
        if (running != null) {
            running.cancel();
        }
        CompletableFuture<HttpResponse<Void>> exchange = sent.get();
        if (exchange != null) {
            exchange.cancel(true);
        }
    }
}
