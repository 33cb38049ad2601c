// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** Answers as a test says: for what no real server does on request, or no old one can. */
final class ScriptedApi implements AutoCloseable {
    /** @param open the connection stays open behind the body until the end */
    record Reply(int status, String body, boolean open) {
        /** Instead of a status: no answer until the end. */
        static final int NONE = 0;

        static Reply ok(String body) {
            return new Reply(200, body, false);
        }
    }

    /** @param rest behind {@code …/leases}: a name, a query or nothing */
    record Asked(String method, String rest, String body, String authorization) {}

    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Function<Asked, Reply> script;
    private final HttpServer server;

    ScriptedApi(Function<Asked, Reply> script) {
        this.script = script;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String authorization = exchange.getRequestHeaders().getFirst("Authorization");
        Asked question = new Asked(
                exchange.getRequestMethod(),
                path.substring(path.indexOf("/leases") + "/leases".length()),
                body,
                authorization == null ? "" : authorization);
        asked.add(question);
        Reply reply = script.apply(question);
        if (reply.status == Reply.NONE) {
            awaitEnd();
            exchange.close();
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(reply.status, 0);
        exchange.getResponseBody().write(reply.body.getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
        if (reply.open) {
            awaitEnd();
        }
        exchange.close();
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    List<Asked> asked() {
        return asked;
    }

    String url(Path folder, String options) throws IOException {
        return "kubernetes://billing?kubeconfig=" + kubeconfig(folder, "scripted") + options;
    }

    Path kubeconfig(Path folder, String token) throws IOException {
        return kubeconfigOf(folder, "token: " + token);
    }

    /** @param user how the kubeconfig says who asks */
    Path kubeconfigOf(Path folder, String user) throws IOException {
        return Files.writeString(
                folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: test
                contexts: [{name: test, context: {cluster: test, user: test}}]
                clusters: [{name: test, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: test, user: {%s}}]
                """.formatted(server.getAddress().getPort(), user));
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
