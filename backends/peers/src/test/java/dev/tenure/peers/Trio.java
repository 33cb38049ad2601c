// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.support.Ports;
import dev.tenure.support.TcpLink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Three members in this process, with real sockets on free ports of this machine and a data directory each. */
final class Trio implements AutoCloseable {
    static final List<String> NAMES = List.of("a", "b", "c");

    /** For what comes soon where nobody else needs the machine. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path folder;
    private final String members;
    private final List<Integer> ports = Ports.free(NAMES.size());
    /** From the one that calls to the one that is called; none where they speak without anything in between. */
    private final Map<String, TcpLink> relays = new LinkedHashMap<>();

    private final String options;
    private final Map<String, Seated> running = new LinkedHashMap<>();

    private record Seated(PeersBackend door, Host host) {}

    Trio(String options) {
        try {
            folder = Files.createTempDirectory("tenure-trio");
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
        List<String> list = new ArrayList<>();
        for (int i = 0; i < NAMES.size(); i++) {
            list.add(NAMES.get(i) + "@127.0.0.1:" + ports.get(i));
        }
        members = String.join(",", list);
        this.options = options;
    }

    /** With lines that can be cut. */
    static Trio overRelays(String options) {
        Trio trio = new Trio(options);
        for (int caller = 0; caller < NAMES.size(); caller++) {
            for (int called = caller + 1; called < NAMES.size(); called++) {
                trio.relays.put(NAMES.get(caller) + NAMES.get(called), new TcpLink(trio.ports.get(called)));
            }
        }
        NAMES.forEach(trio::start);
        return trio;
    }

    void isolate(String me) {
        relays.forEach((pair, relay) -> {
            if (pair.contains(me)) {
                relay.cut();
            }
        });
    }

    /** Everything is as it was, but this one is cut off. */
    void healBut(String me) {
        heal();
        isolate(me);
    }

    void heal() {
        relays.values().forEach(TcpLink::closeConnections);
        relays.values().forEach(TcpLink::heal);
    }

    /** The members as this one finds them. */
    private String membersFor(String me) {
        String list = members;
        for (int called = 0; called < NAMES.size(); called++) {
            TcpLink between = relays.get(me + NAMES.get(called));
            if (between != null) {
                list = list.replace(":" + ports.get(called), ":" + between.port());
            }
        }
        return list;
    }

    static Trio started(String options) {
        Trio trio = new Trio(options);
        NAMES.forEach(trio::start);
        return trio;
    }

    /** Where somebody finds the group who only looks. */
    String url() {
        return "peers://" + members + (options.isEmpty() ? "" : "?" + options);
    }

    /** A process that calls itself a member, with options of its own. */
    Outsider outsider(String me, String otherOptions) {
        Host host = SystemHost.start("outsider");
        String url = "peers://" + members + "?me=" + me + "&data=" + folder.resolve("outsider") + "&" + otherOptions;
        return new Outsider(PeersBackend.connect(PeersSettings.of(BackendUrl.parse(url), Map.of()), host), host);
    }

    record Outsider(PeersBackend door, Host host) {
        String missing() {
            Awaitility.await().atMost(PATIENCE).until(() -> !door.missing().matches(".*has not called yet(;.*|$)"));
            return door.missing();
        }

        void close() {
            door.close();
            host.shutdown();
        }
    }

    int port(String me) {
        return ports.get(NAMES.indexOf(me));
    }

    String url(String me) {
        return "peers://" + membersFor(me) + "?me=" + me + "&data=" + data(me)
                + (options.isEmpty() ? "" : "&" + options.replace("{me}", me));
    }

    Path data(String me) {
        return folder.resolve(me);
    }

    PeersSettings settings(String me) {
        return PeersSettings.of(BackendUrl.parse(url(me)), Map.of());
    }

    void start(String me) {
        Host host = SystemHost.start("trio-" + me);
        try {
            running.put(me, new Seated(PeersBackend.connect(settings(me), host), host));
        } catch (RuntimeException refused) {
            host.shutdown();
            throw refused;
        }
    }

    /** Waits until the one before has let its directory go. */
    void restart(String me) {
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            start(me);
            return true;
        });
    }

    PeersBackend door(String me) {
        return Optional.ofNullable(running.get(me)).orElseThrow().door();
    }

    /** A member that has just begun does not vote: it may have answered a leader before it began. */
    void awaitVotes() {
        long waitNanos = settings(NAMES.get(0)).profile().electionMin().toNanos();
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> running.values().stream()
                        .allMatch(seated ->
                                System.nanoTime() - seated.door().member().orElseThrow().startNanos > waitNanos));
    }

    /** Ends without a word to anybody. */
    void stop(String me) {
        Seated gone = Optional.ofNullable(running.remove(me)).orElseThrow();
        gone.door().close();
        gone.host().shutdown();
    }

    void forget(String me) {
        delete(data(me));
    }

    @Override
    public void close() {
        List.copyOf(running.keySet()).forEach(this::stop);
        relays.values().forEach(TcpLink::close);
        delete(folder);
    }

    private static void delete(Path path) {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException stillUsed) {
            // a temporary folder, of which a part may stay behind
        }
    }
}
