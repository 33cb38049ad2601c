// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.Fence;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client that stands in one election and leads, when it does, until it loses. */
final class Stander implements AutoCloseable {
    static final String ELECTION = "ledger";
    static final int PATIENCE_SECONDS = 60;

    private static final Duration REST = Duration.ofMinutes(10);

    private final Tenure tenure;
    private final BlockingQueue<Leadership> led = new LinkedBlockingQueue<>();
    private final BlockingQueue<Loss> losses = new LinkedBlockingQueue<>();

    private Stander(Tenure tenure) {
        this.tenure = tenure;
    }

    static Stander at(String url, Fence... fences) {
        Tenure tenure = Tenure.connect(url)
                .ttl(Duration.ofSeconds(2))
                .acknowledgeBestEffort()
                .open();
        Stander stander = new Stander(tenure);
        tenure.elect(ELECTION).fencedBy(fences).perform(leadership -> {
            leadership.onLoss(stander.losses::add);
            stander.led.add(leadership);
            leadership.rest(REST);
        });
        return stander;
    }

    /** The next term of this client. */
    Leadership awaitLeadership() throws InterruptedException {
        Leadership leadership = led.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (leadership == null) {
            throw new AssertionError("not elected within " + PATIENCE_SECONDS + " s");
        }
        return leadership;
    }

    Loss awaitLoss() throws InterruptedException {
        Loss loss = losses.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (loss == null) {
            throw new AssertionError("nothing lost within " + PATIENCE_SECONDS + " s");
        }
        return loss;
    }

    boolean hasLedAgain() {
        return !led.isEmpty();
    }

    Tenure tenure() {
        return tenure;
    }

    @Override
    public void close() {
        tenure.close();
    }
}
