// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import dev.tenure.redis.servers.RedisGroup;
import dev.tenure.redis.servers.RedisServer;
import dev.tenure.redis.servers.RedisServer.Product;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.Folders;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** One real server of each kind, started when a test or a command of the documentation first names it. */
final class RealServers implements AutoCloseable {
    private final Map<String, AutoCloseable> running = new HashMap<>();
    private final Path folder = Folders.temporary("docs");

    private synchronized <T extends AutoCloseable> T server(Class<T> type, String name, Supplier<T> start) {
        return type.cast(running.computeIfAbsent(name, unused -> start.get()));
    }

    String etcd() {
        return server(Cluster.class, "etcd", () -> Cluster.start(EtcdServers.NEWEST, 1))
                .endpoints();
    }

    private ConsulCluster consul() {
        return server(ConsulCluster.class, "consul", () -> ConsulCluster.start(1, ""));
    }

    /** The URL of a store that is empty, by the name of its scheme. */
    String url(String store) {
        return switch (store) {
            case "consul" -> consul().url("cli");
            case "redis" -> "redis://" + redis("redis");
            case "kubernetes" -> "kubernetes://cli?kubeconfig=" + kubeconfig();
            case "kubernetes, sessions" -> "kubernetes://cli-sessions?sessions=on&kubeconfig=" + kubeconfig();
            default -> throw new IllegalArgumentException(store);
        };
    }

    private ApiServer kubernetes() {
        return server(ApiServer.class, "kubernetes", () -> {
            ApiServer server = ApiServer.start(ApiServerPrograms.apiServer().orElseThrow());
            List.of("billing", "cli", "cli-sessions").forEach(server::makeNamespace);
            return server;
        });
    }

    Path kubeconfig() {
        return kubernetes().kubeconfig(ApiServer.ADMIN);
    }

    private Postgres postgres() {
        return server(Postgres.class, "postgres", () -> {
            Postgres server = Postgres.running();
            server.execute("CREATE TABLE book (id BIGSERIAL PRIMARY KEY, line TEXT)");
            return server;
        });
    }

    private String redis(String name) {
        return server(RedisServer.class, name, RedisServer::running).address();
    }

    /** The command as it stands in a page, with our servers in the place of its hosts. */
    String inPlaceOfHosts(String command) {
        String here = command;
        if (here.contains("etcd://")) {
            here = here.replaceAll("etcd://[^/' ]+", "etcd://" + etcd());
        }
        if (here.contains("zk://")) {
            String addresses = server(Ensemble.class, "zookeeper", () -> Ensemble.start(1, List.of(), List.of()))
                    .addresses();
            here = here.replaceAll("zk://[^/' ]+", "zk://" + addresses);
        }
        if (here.contains("consul://")) {
            here = here.replaceAll("consul://[^/' ]+", "consul://" + consul().endpoints());
        }
        if (here.contains("sentinel=main")) {
            String url = server(RedisGroup.class, "sentinels", () -> RedisGroup.running(Product.REDIS, 1))
                    .url();
            here = here.replaceAll("redis://[^?]+\\?sentinel=main", url);
        }
        here = here.replace("redlock://r1,r2,r3", "redlock://R1,R2,R3");
        for (String each : List.of("R1", "R2", "R3", "redis.example.org:6379")) {
            if (here.contains(each)) {
                here = here.replace(each, redis(each));
            }
        }
        return here.contains("postgresql") ? onPostgres(here) : here;
    }

    private String onPostgres(String command) {
        String server = "127.0.0.1:" + postgres().port();
        String user = command.contains("password.file") ? SqlServer.USER : SqlServer.USER + ":" + SqlServer.PASSWORD;
        String login = "?user=" + SqlServer.USER + "&password=" + SqlServer.PASSWORD;
        return command.replace("/run/secrets/db", password().toString())
                .replace("//app@db/app", "//" + user + "@" + server + "/postgres")
                .replaceAll(
                        "tokens=jdbc:postgresql://[^']+",
                        "tokens=jdbc:postgresql://" + server + "/postgres" + login.replace("&", "%26"))
                .replaceAll("jdbc:postgresql://db/app", "'jdbc:postgresql://" + server + "/postgres" + login + "'");
    }

    private Path password() {
        try {
            return Files.writeString(folder.resolve("password"), SqlServer.PASSWORD);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public synchronized void close() {
        List<Exception> failures = new ArrayList<>();
        for (AutoCloseable server : running.values()) {
            try {
                server.close();
            } catch (Exception failure) {
                failures.add(failure);
            }
        }
        Folders.delete(folder);
        if (!failures.isEmpty()) {
            throw new IllegalStateException("a server did not end", failures.get(0));
        }
    }
}
