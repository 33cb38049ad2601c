package dev.tenure.spring;

import dev.tenure.ElectionName;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.spring.support.LedElections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationContextEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;

/**
 * When the application stands, and when it leaves. It starts last; with Spring Boot it starts when the application is ready. When the context
 * begins to close it drains and releases before any other bean is told to stop: before the lifecycle of Spring stops executors, listeners and
 * the web server, and before the first bean is destroyed. Draining is bounded by the client.
 *
 * <p>Every event of the client is published in the context as it is, on a thread of the client. A listener that blocks delays the listeners
 * behind it, and no election.
 */
public final class TenureLifecycle
        implements SmartLifecycle, ApplicationListener<ApplicationContextEvent>, Ordered, DisposableBean {
    /** When the application stands. */
    public enum StandAt {
        /** When Spring Boot says that the application is ready: the web server is up and runners have run. */
        READY,
        /** When the context was refreshed. */
        REFRESHED,
        /** When the application calls {@link TenureLifecycle#start()}. */
        MANUAL
    }

    private static final int TURNS_MAX = 20;

    private final ApplicationContext context;
    private final Tenure tenure;
    private final LedElections elections;
    private final boolean atRefresh;
    private final AtomicBoolean publishing = new AtomicBoolean();
    private final Map<ElectionName, CompletableFuture<Void>> retired = new ConcurrentHashMap<>();
    private volatile boolean destroyed;

    /** @param atRefresh whether the application stands when its context was refreshed; otherwise {@link #start()} is called */
    public TenureLifecycle(ApplicationContext context, Tenure tenure, LedElections elections, boolean atRefresh) {
        this.context = context;
        this.tenure = tenure;
        this.elections = elections;
        this.atRefresh = atRefresh;
    }

    @Override
    public boolean isAutoStartup() {
        return atRefresh;
    }

    @Override
    public void start() {
        publishEvents();
        retired.clear();
        elections.stand(tenure);
    }

    /**
     * Returns when every election was drained and released, or its bound has passed. The listeners of the application get what happened in the
     * end before their beans are closed, if they take no longer than a second.
     */
    @Override
    public void stop() {
        CompletableFuture<Void> ended = CompletableFuture.allOf(
                elections.leave().stream().map(this::retirementOf).toArray(CompletableFuture<?>[]::new));
        for (int turn = 0; turn < TURNS_MAX && !ended.isDone(); turn++) {
            tenure.stats(); // a turn of the engine, which in virtual time happens because it is waited for
        }
        try {
            ended.get(1, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException late) {
            LogFactory.getLog(TenureLifecycle.class)
                    .warn("listeners of the application are slow: some events are lost");
        }
    }

    private CompletableFuture<Void> retirementOf(ElectionName election) {
        return retired.computeIfAbsent(election, name -> new CompletableFuture<>());
    }

    @Override
    public boolean isRunning() {
        return elections.isStanding();
    }

    @Override
    public void onApplicationEvent(ApplicationContextEvent event) {
        if (event.getApplicationContext() != context) {
            return;
        }
        if (event instanceof ContextRefreshedEvent) {
            publishEvents();
        } else if (event instanceof ContextClosedEvent) {
            stop();
        }
    }

    private void publishEvents() {
        if (publishing.compareAndSet(false, true)) {
            tenure.onEvent(event -> {
                if (!destroyed) {
                    publish(event);
                }
            });
        }
    }

    private void publish(TenureEvent event) {
        try {
            context.publishEvent(event);
        } finally {
            if (event instanceof TenureEvent.Retired gone) {
                retirementOf(gone.election()).complete(null);
            }
        }
    }

    /** Before the listeners of Spring and of the application: the early shutdown of executors comes with the same event. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 10;
    }

    @Override
    public void destroy() {
        destroyed = true;
    }
}
