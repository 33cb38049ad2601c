// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.Campaign;
import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

/**
 * The elections of the application: when it stands in them, and when it leaves. It starts last; with Spring Boot it stands when the application is
 * ready. When the context begins to close it drains and releases before any other bean is told to stop: before the lifecycle of Spring stops
 * executors, listeners and the web server, and before the first bean is destroyed. Draining is bounded by the client.
 *
 * <p>Every event of the client is published in the context as it is, on a thread of the client. A listener that blocks delays the listeners
 * behind it, and no election.
 */
public final class TenureLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, Ordered {
    private static final Log LOG = LogFactory.getLog(TenureLifecycle.class);
    private static final Duration LISTENERS_WITHIN = Duration.ofSeconds(1);

    private final ApplicationContext context;
    private final Tenure tenure;
    private final Map<ElectionName, LedElection> elections = new ConcurrentSkipListMap<>();
    private final List<Supplier<Runnable>> others = new ArrayList<>();
    private final Set<ElectionName> unretired = ConcurrentHashMap.newKeySet();
    private volatile Host.Signal allRetired;
    private volatile boolean closing;
    private volatile boolean closed;
    private volatile List<Runnable> ends = List.of();
    private boolean publishes;
    private boolean waits;

    /** @param campaigns how to stand in some elections, and which to stand in beside those that annotations name */
    TenureLifecycle(ApplicationContext context, Tenure tenure, Iterable<Campaign> campaigns) {
        this.context = context;
        this.tenure = tenure;
        this.allRetired = tenure.host().signal();
        campaigns.forEach(one -> elections.put(one.election(), new LedElection(one)));
    }

    /** The election of this name, which the application stands in from now on if it did not before. */
    LedElection add(String election) {
        try {
            Campaign usual = tenure.elect(election);
            return elections.computeIfAbsent(usual.election(), name -> new LedElection(usual));
        } catch (IllegalArgumentException refused) {
            throw new TenureConfigurationException(
                    "'" + election + "' cannot be the name of an election",
                    String.valueOf(refused.getMessage()),
                    refused);
        }
    }

    /** Something that stands by itself: what starts it, which returns what ends it. */
    void also(Supplier<Runnable> starter) {
        others.add(starter);
    }

    /** @throws IllegalArgumentException if the application does not stand in it */
    LedElection named(String election) {
        LedElection led = elections.get(ElectionName.of(election));
        if (led == null) {
            throw new IllegalArgumentException("this application does not stand in election " + election
                    + ": name it in an annotation, or define a bean of type Campaign");
        }
        return led;
    }

    /** {@link #start()} does not stand from now on, before {@link #stand()} was called. */
    public synchronized void waitForReady() {
        waits = true;
    }

    @Override
    public synchronized void start() {
        if (!publishes) {
            publishes = true;
            tenure.onEvent(this::publish);
        }
        if (!waits) {
            stand();
        }
    }

    /** Stands in all elections, or in none if one is refused, or if the context has begun to close. */
    public synchronized void stand() {
        waits = false;
        if (isRunning() || closing) {
            return;
        }
        List<Runnable> begun = new ArrayList<>();
        allRetired = tenure.host().signal();
        try {
            for (LedElection election : elections.values()) {
                Candidacy candidacy = election.stand();
                begun.add(candidacy::close);
                unretired.add(election.name());
            }
            others.forEach(other -> begun.add(other.get()));
        } catch (RuntimeException refused) {
            begun.forEach(Runnable::run);
            String why = String.valueOf(refused.getMessage());
            throw refused instanceof TenureConfigurationException known
                    ? known
                    : new TenureConfigurationException("this application cannot stand in its elections", why, refused);
        }
        ends = begun;
    }

    @Override
    public boolean isRunning() {
        return !ends.isEmpty();
    }

    /**
     * Returns when every election was drained and released, or its bound has passed. The listeners of the application get what happened in the
     * end before their beans are closed, if they take no longer than a second.
     */
    @Override
    public synchronized void stop() {
        if (!isRunning()) {
            return;
        }
        ends.forEach(end -> tenure.host().runDuty("tenure-close", end)); // side by side, and then waited for
        ends.forEach(Runnable::run);
        ends = List.of();
        try {
            // The client logs each end, too, but to java.util.logging, which a SIGTERM may have shut down before.
            if (unretired.isEmpty() || allRetired.await(LISTENERS_WITHIN.toNanos())) {
                LOG.info("has left its elections: " + elections.keySet());
            } else {
                LOG.warn("still drains, or its listeners are slow, and some events are lost: " + unretired);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            closing = true; // it may be in another thread than that which makes the application ready
            stop();
            closed = true; // not before: listeners hear how it ended
        }
    }

    private void publish(TenureEvent event) {
        try {
            if (!closed) {
                context.publishEvent(event);
            }
        } finally {
            if (event instanceof TenureEvent.Retired gone && unretired.remove(gone.election()) && unretired.isEmpty()) {
                allRetired.set();
            }
        }
    }

    /** Before the listeners of Spring and of the application: the early shutdown of executors comes with the same event. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 10;
    }
}
