// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

/** A way to one server, which answers every request, and on which an answer is late or says something else. */
final class AnswerProxy implements AutoCloseable {
    private static final String NONE = "no request";

    private final int port;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicReference<String> failing = new AtomicReference<>(NONE);
    private final AtomicReference<String> heldBack = new AtomicReference<>(NONE);
    private final CountDownLatch holding = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);

    AnswerProxy(int port) throws IOException {
        this.port = port;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::carry);
        server.start();
    }

    String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** The answer to the next request whose body contains this says that the server has no leader. */
    void fail(String text) {
        failing.set(text);
    }

    /** The answer to the next request whose body contains this waits until it is let go. */
    void holdBack(String text) {
        heldBack.set(text);
    }

    void awaitHolding() throws InterruptedException {
        holding.await();
    }

    void letGo() {
        letGo.countDown();
    }

    private void carry(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            URI there = URI.create("http://127.0.0.1:" + port + exchange.getRequestURI());
            HttpRequest request = HttpRequest.newBuilder(there)
                    .method(exchange.getRequestMethod(), BodyPublishers.ofString(body))
                    .build();
            HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
            if (takes(heldBack, body)) {
                holding.countDown();
                letGo.await();
            }
            boolean fails = takes(failing, body);
            byte[] answer = fails ? "No cluster leader".getBytes(StandardCharsets.UTF_8) : response.body();
            response.headers()
                    .firstValue("X-Consul-Index")
                    .ifPresent(index -> exchange.getResponseHeaders().set("X-Consul-Index", index));
            exchange.sendResponseHeaders(fails ? 500 : response.statusCode(), answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean takes(AtomicReference<String> wanted, String body) {
        String text = wanted.get();
        return body.contains(text) && wanted.compareAndSet(text, NONE);
    }

    @Override
    public void close() {
        letGo.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
