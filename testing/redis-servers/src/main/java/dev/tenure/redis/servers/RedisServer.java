// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.servers;

import dev.tenure.support.Folders;
import dev.tenure.support.Installation;
import dev.tenure.support.Ports;
import dev.tenure.support.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.awaitility.Awaitility;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** One real server on a free loopback port in a temporary folder, for as long as it is open. */
public final class RedisServer implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofSeconds(30);

    private final Path folder;
    private final ServerProcess process;
    private final int port;
    private final Product product;

    /** Which program it is. */
    public enum Product {
        REDIS("redis"),
        VALKEY("valkey");

        private final String name;

        Product(String name) {
            this.name = name;
        }
    }

    private RedisServer(Product product, Path folder, ServerProcess process, int port) {
        this.product = product;
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /**
     * Starts it.
     *
     * @param settings as on its command line, such as {@code --requirepass} and a password. Nothing is kept on disk without them
     */
    public static RedisServer running(Product product, String... settings) {
        RedisServer server = at(product, Ports.free(), List.of(), settings);
        server.start();
        return server;
    }

    public static RedisServer running(String... settings) {
        return running(Product.REDIS, settings);
    }

    /** With TLS on a {@linkplain #tlsPort port of its own}. */
    public static RedisServer withTls(Path certificate, Path key, Path authority) {
        int tlsPort = Ports.free();
        RedisServer server = at(
                Product.REDIS,
                Ports.free(),
                List.of(),
                "--tls-port",
                Integer.toString(tlsPort),
                "--tls-cert-file",
                certificate.toString(),
                "--tls-key-file",
                key.toString(),
                "--tls-ca-cert-file",
                authority.toString(),
                "--tls-auth-clients",
                "no");
        server.start();
        return server;
    }

    public int tlsPort() {
        return Integer.parseInt(ask(client -> client.configGet("tls-port")).get("tls-port"));
    }

    /** A sentinel, which keeps what it learns in its file. */
    static RedisServer sentinel(Product product, int port, List<String> lines) {
        RedisServer server = at(product, port, lines, "--sentinel");
        server.start();
        return server;
    }

    static RedisServer at(Product product, int port, List<String> lines, String... settings) {
        Path folder = Folders.temporary(product.name);
        Path file = folder.resolve("server.conf");
        List<String> all = new ArrayList<>(lines);
        all.add("port " + port);
        all.add("bind 127.0.0.1");
        all.add("dir " + folder);
        all.add("daemonize no");
        if (lines.isEmpty()) {
            all.add("save \"\"");
            all.add("repl-diskless-sync-delay 0");
        }
        try {
            Files.write(file, all);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        Installation installation = Installation.of(product.name);
        List<String> command = new ArrayList<>(List.of(
                installation.program("usr/bin/" + product.name + "-server").toString(), file.toString()));
        command.addAll(List.of(settings));
        return new RedisServer(product, folder, new ServerProcess(command, installation.environment(), folder), port);
    }

    /** For the first time, or after its end. */
    public void start() {
        process.start();
        try {
            Awaitility.await("a server that answers")
                    .atMost(READY_WITHIN)
                    .pollInterval(Duration.ofMillis(10))
                    .until(this::answers);
        } catch (RuntimeException failure) {
            throw new IllegalStateException("the server does not start: " + process.lastWords(), failure);
        }
    }

    private boolean answers() {
        if (!process.isRunning()) {
            throw new IllegalStateException("the server has ended");
        }
        try (Jedis client = new Jedis("127.0.0.1", port)) {
            client.ping();
            return true;
        } catch (JedisException notYet) {
            String said = String.valueOf(notYet.getMessage());
            // It speaks, although not to everybody.
            return said.startsWith("NOAUTH") || said.startsWith("NOPERM") || said.contains("Unexpected end of stream");
        }
    }

    public Product product() {
        return product;
    }

    public int port() {
        return port;
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    public String url() {
        return "redis://" + address();
    }

    /** What this answers, asked by a client without a password. */
    public <T> T ask(Function<Jedis, T> question) {
        try (Jedis client = new Jedis("127.0.0.1", port)) {
            return question.apply(client);
        }
    }

    /** One line of {@code INFO}. */
    public String info(String name) {
        return ask(client -> client.info("all"))
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    /** As a crash of the machine. */
    public void kill() {
        process.kill();
    }

    /** Alive, silent, and with all its connections open. */
    public void freeze() {
        process.freeze();
    }

    public void goOn() {
        process.goOn();
    }

    public boolean isRunning() {
        return process.isRunning();
    }

    @Override
    public void close() {
        process.kill();
        Folders.delete(folder);
    }
}
