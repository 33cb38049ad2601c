// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local.process;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.local.LocalStore;
import dev.tenure.testing.StoreLink;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A candidate in a process of its own. Its writer is reckless on purpose: it never asks whether it may still write and
 * does not listen when it is told to stop, so
 * that only the fence stands between a zombie and the ledger. On standard input it takes {@code cut}, {@code heal} (its way
 * to the store) and {@code go} (the writer waits for it before its first write).
 */
public final class CandidateMain {
    private final String node;
    private final LedgerClient ledger;
    private final AtomicBoolean up = new AtomicBoolean(true);
    private final CountDownLatch go = new CountDownLatch(1);

    private CandidateMain(String node, LedgerClient ledger) {
        this.node = node;
        this.ledger = ledger;
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        Duration ttl = Duration.ofMillis(Long.parseLong(arguments[3]));
        CandidateMain candidate = new CandidateMain(arguments[2], new LedgerClient(Integer.parseInt(arguments[1])));
        candidate.run(directory, ttl);
    }

    private void run(Path directory, Duration ttl) throws Exception {
        SystemHost host = SystemHost.start(node);
        StoreLink link = new StoreLink(LocalStore.open(directory, host), up::get);
        try (Tenure tenure = Tenure.using(link).host(host).node(node).ttl(ttl).open()) {
            tenure.elect("ledger").fencedBy(ledger).perform(this::lead);
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                obey(order);
                ledger.tell(node, "obeyed-" + order);
            }
        }
    }

    private void obey(String order) {
        switch (order) {
            case "cut" -> up.set(false);
            case "heal" -> up.set(true);
            case "go" -> go.countDown();
            default -> throw new IllegalArgumentException(order);
        }
    }

    private void lead(Leadership leadership) throws Exception {
        ledger.tell(node, "leads-" + leadership.token());
        go.await();
        try {
            while (true) {
                ledger.write(leadership.term(), node);
            }
        } catch (StaleTokenException refused) {
            // Asked right after the wake-up, with the store perhaps out of reach: the clock alone must know.
            ledger.tell(node, "lost-" + leadership.token() + (leadership.isValid() ? "-but-believes" : ""));
            throw refused;
        }
    }
}
