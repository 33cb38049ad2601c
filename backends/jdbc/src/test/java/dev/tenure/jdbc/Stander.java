// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.Fence;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process that stands in one election and leads, when it does, until it loses. */
final class Stander implements AutoCloseable {
    static final String ELECTION = "ledger";

    private static final Duration REST = Duration.ofMinutes(10);
    private static final int PATIENCE_SECONDS = 60;

    private final Tenure tenure;
    private final BlockingQueue<Leadership> led = new LinkedBlockingQueue<>();
    private final List<Loss> losses = new CopyOnWriteArrayList<>();

    private Stander(Tenure tenure) {
        this.tenure = tenure;
    }

    static Stander at(String url, Duration ttl, Fence... fences) {
        return of(Tenure.connect(url).ttl(ttl).open(), fences);
    }

    static Stander of(Tenure tenure, Fence... fences) {
        Stander stander = new Stander(tenure);
        tenure.elect(ELECTION).fencedBy(fences).perform(stander::lead);
        return stander;
    }

    private void lead(Leadership leadership) throws InterruptedException {
        leadership.onLoss(losses::add);
        led.add(leadership);
        leadership.rest(REST);
    }

    /** The next term of this process. */
    Leadership awaitLeadership() throws InterruptedException {
        Leadership leadership = led.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (leadership == null) {
            throw new AssertionError("not elected within " + PATIENCE_SECONDS + " s");
        }
        return leadership;
    }

    boolean hasLedAgain() {
        return !led.isEmpty();
    }

    List<Loss> losses() {
        return losses;
    }

    Tenure tenure() {
        return tenure;
    }

    @Override
    public void close() {
        tenure.close();
    }
}
