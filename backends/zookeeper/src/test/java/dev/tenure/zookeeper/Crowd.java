// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Several candidates of one election that write to a fenced ledger while they lead, and what is known of their terms. */
final class Crowd implements AutoCloseable {
    private static final String ELECTION = "crowd";
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final Duration ttl;
    private final InMemoryFence ledger = new InMemoryFence("ledger");
    private final AtomicInteger refused = new AtomicInteger();
    private final ConcurrentSkipListMap<FencingToken, Belief> beliefs = new ConcurrentSkipListMap<>();
    private final Map<String, Tenure> tenures = new LinkedHashMap<>();
    private final List<String> sessionsLost = new CopyOnWriteArrayList<>();
    private final Map<String, Candidacy> candidacies = new LinkedHashMap<>();

    /** When a term was first and last known to be valid, on the clock that all of this machine share. */
    private static final class Belief {
        private final String node;
        private final long beganNanos = System.nanoTime();
        private volatile long lastNanos = beganNanos;

        Belief(String node) {
            this.node = node;
        }
    }

    Crowd(Duration ttl) {
        this.ttl = ttl;
    }

    Candidacy join(String node, String url) {
        Tenure tenure = Tenure.connect(url).node(node).ttl(ttl).open();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.SessionLost lost) {
                sessionsLost.add(lost.why());
            }
        });
        Candidacy candidacy = tenure.elect(ELECTION).fencedBy(ledger).perform(leadership -> {
            Belief belief = new Belief(node);
            beliefs.put(leadership.token(), belief);
            while (leadership.isActive()) {
                long nowNanos = System.nanoTime();
                if (leadership.isValid()) {
                    belief.lastNanos = nowNanos;
                }
                try {
                    ledger.write(leadership, () -> {});
                } catch (StaleTokenException stale) {
                    refused.incrementAndGet();
                }
                leadership.rest(PAUSE);
            }
        });
        tenures.put(node, tenure);
        candidacies.put(node, candidacy);
        return candidacy;
    }

    Optional<String> leader() {
        return candidacies.entrySet().stream()
                .filter(entry -> entry.getValue().isLeading())
                .map(Map.Entry::getKey)
                .findFirst();
    }

    String awaitLeader() throws Exception {
        Await.until("somebody leads", () -> leader().isPresent());
        return leader().orElseThrow();
    }

    int terms() {
        return beliefs.size();
    }

    /** Why those who lost their session did so. */
    List<String> sessionsLost() {
        return sessionsLost;
    }

    FencingToken newest() {
        return beliefs.lastKey();
    }

    long accepted() {
        return ledger.accepted().size();
    }

    /** Since this call, somebody has led, renewed twice and written. */
    void awaitProgress() throws Exception {
        long before = accepted();
        Map<String, Long> renewals = new LinkedHashMap<>();
        tenures.forEach((node, tenure) -> renewals.put(node, tenure.stats().renewals()));
        Await.until(
                "the leader renews and writes",
                () -> accepted() > before + 10
                        && leader().filter(node -> tenures.get(node).stats().renewals() > renewals.get(node) + 1)
                                .isPresent());
    }

    /** Somebody leads and writes for this long, through whatever changes of leaders. */
    void awaitPassed(Duration time) throws Exception {
        long byNanos = System.nanoTime() + time.toNanos();
        Await.until("the clock goes on", () -> System.nanoTime() - byNanos > 0);
        awaitProgress();
    }

    /** In the order of their tokens, each term began after the one before it was last valid. */
    void assertNeverTwo() {
        List<Belief> terms = new ArrayList<>(beliefs.values());
        for (int i = 1; i < terms.size(); i++) {
            assertThat(terms.get(i).beganNanos)
                    .as("begin of the term of " + terms.get(i).node + " after the end of that of "
                            + terms.get(i - 1).node)
                    .isGreaterThan(terms.get(i - 1).lastNanos);
        }
        assertTokensGrow();
    }

    /** Not one stale write was accepted. */
    void assertTokensGrow() {
        assertThat(ledger.accepted()).extracting(term -> term.token()).isSorted();
    }

    @Override
    public void close() {
        tenures.values().forEach(Tenure::close);
    }
}
