// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.Candidacy;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendUrl;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One process with the whole engine, what it was told, and a gate before its store. */
final class Node implements AutoCloseable {
    /** A TTL and a half: every waiting candidate has polled, and every term that would end by a deadline has ended. */
    private static final int BEATS = 6;

    final Gate gate = new Gate();
    final List<TenureEvent> told = new CopyOnWriteArrayList<>();
    final Tenure tenure;

    Node(String url, Duration ttl) {
        this(url, ttl, false);
    }

    Node(String url, Duration ttl, boolean standoff) {
        SystemHost host = SystemHost.start("node");
        Backend backend = (Backend) new ZooKeeperProvider().connect(BackendUrl.parse(url), host);
        tenure = Tenure.using(gate.around(backend))
                .host(host)
                .node("same")
                .ttl(ttl)
                .standoff(standoff)
                .open();
        tenure.onEvent(told::add);
    }

    Candidacy stand(String election) {
        return tenure.elect(election).perform(leadership -> {
            while (leadership.isActive()) {
                leadership.rest(Duration.ofMillis(10));
            }
        });
    }

    /** A while passes for it, in renewals that the store has acknowledged. */
    void live() throws Exception {
        long begun = tenure.stats().renewals();
        Await.until("it goes on", () -> tenure.stats().renewals() >= begun + BEATS);
    }

    /** The same, together with another one. */
    void live(Node other) throws Exception {
        long begun = other.tenure.stats().renewals();
        live();
        Await.until("so does the other", () -> other.tenure.stats().renewals() >= begun + BEATS);
    }

    List<Term> elected() {
        return told.stream()
                .filter(TenureEvent.Elected.class::isInstance)
                .map(event -> ((TenureEvent.Elected) event).term())
                .toList();
    }

    List<Term> lost() {
        return told.stream()
                .filter(TenureEvent.Lost.class::isInstance)
                .map(event -> ((TenureEvent.Lost) event).term())
                .toList();
    }

    long sessions() {
        return told.stream().filter(TenureEvent.SessionOpened.class::isInstance).count();
    }

    /** Why each of its terms was lost. */
    List<Loss> losses() {
        return told.stream()
                .filter(TenureEvent.Lost.class::isInstance)
                .map(event -> ((TenureEvent.Lost) event).loss())
                .toList();
    }

    @Override
    public void close() {
        tenure.close();
    }
}
