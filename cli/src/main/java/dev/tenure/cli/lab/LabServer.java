// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.lab;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.command.Json;
import dev.tenure.lab.AlgorithmConfig;
import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.fault.FaultText;
import dev.tenure.lab.page.Page;
import dev.tenure.lab.trace.TraceData;
import dev.tenure.lab.world.World;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The page, and a run for each question that it asks. For this machine only. */
record LabServer(HttpServer http, Host host) implements AutoCloseable {
    private static final int NODES_MAX = 99;
    private static final int FAULTS_MAX = 100;

    /** @param host whose threads it uses, and which it shuts down */
    static LabServer start(int port, Host host) throws IOException {
        try {
            var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            LabServer server = new LabServer(http, host);
            http.setExecutor(host.io());
            http.createContext("/", server::answer);
            http.start();
            return server;
        } catch (IOException taken) {
            host.shutdown();
            throw taken;
        }
    }

    String url() {
        return "http://localhost:" + http.getAddress().getPort() + "/";
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (!isForThisMachine(exchange)) {
                reply(exchange, 403, "text/plain", "the lab is open to this machine only, as localhost");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                reply(exchange, 405, "text/plain", "only GET");
            } else if (path.equals("/")) {
                String names = Json.text(Map.of("algorithms", LabCommand.ALGORITHMS));
                reply(exchange, 200, "text/html", Page.html(names));
            } else if (path.equals("/run")) {
                run(exchange);
            } else {
                reply(exchange, 404, "text/plain", "there is nothing here");
            }
        }
    }

    /** A page from elsewhere can make a browser ask us under a name of its own; then it must not get an answer. */
    private boolean isForThisMachine(HttpExchange exchange) {
        String host = String.valueOf(exchange.getRequestHeaders().getFirst("Host"));
        int port = http.getAddress().getPort();
        return Set.of("localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port).contains(host);
    }

    private static void run(HttpExchange exchange) throws IOException {
        try {
            Experiment experiment = experiment(query(exchange.getRequestURI().getRawQuery()));
            reply(exchange, 200, "application/json", Json.text(TraceData.of(experiment, World.run(experiment))));
        } catch (IllegalArgumentException wrong) {
            reply(exchange, 400, "text/plain", String.valueOf(wrong.getMessage()));
        }
    }

    static Experiment experiment(Map<String, String> query) {
        String name = query.getOrDefault("algorithm", "bully");
        Algorithm algorithm = Algorithm.named(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no algorithm of this name"));
        int nodes = (int) number("nodes", query.getOrDefault("nodes", "5"), 1, NODES_MAX);
        long seed = number("seed", query.getOrDefault("seed", "1"), 0, Long.MAX_VALUE);
        List<Fault> faults = Stream.of(query.getOrDefault("faults", "").split(";"))
                .filter(text -> !text.isBlank())
                .map(text -> FaultText.parse(text, nodes))
                .toList();
        if (faults.size() > FAULTS_MAX) {
            throw new IllegalArgumentException("at most " + FAULTS_MAX + " faults, and not " + faults.size());
        }
        return Experiment.of(AlgorithmConfig.of(algorithm), nodes, seed).with(faults);
    }

    private static long number(String name, String text, long min, long max) {
        if (!text.matches("\\d{1,18}") || Long.parseLong(text) < min || Long.parseLong(text) > max) {
            throw new IllegalArgumentException(name + " must be a number from " + min + " to " + max);
        }
        return Long.parseLong(text);
    }

    private static Map<String, String> query(String raw) {
        Map<String, String> fields = new HashMap<>();
        for (String pair : (raw == null ? "" : raw).split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                fields.put(
                        pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return fields;
    }

    private static void reply(HttpExchange exchange, int code, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        exchange.sendResponseHeaders(code, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        http.stop(0);
        host.shutdown();
    }
}
