package dev.tenure.spring;

import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import dev.tenure.spring.support.LedElection;
import dev.tenure.spring.support.LedElections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The programmatic twin of {@link LeaderOnly}. For elections that an annotation names, or that the configuration lists ({@code
 * tenure.elections} with Spring Boot, {@link CampaignCustomizer#elections()} without). Safe for any thread.
 */
public final class TenureTemplate {
    private final LedElections elections;

    public TenureTemplate(LedElections elections) {
        this.elections = elections;
    }

    /** Work that returns nothing. */
    @FunctionalInterface
    public interface Action<E extends Exception> {
        void run(Leadership leadership) throws E;
    }

    /** Work that returns something. */
    @FunctionalInterface
    public interface Query<T extends @Nullable Object, E extends Exception> {
        T run(Leadership leadership) throws E;
    }

    /** Whether this process leads, at this moment. */
    public boolean isLeading(String election) {
        return elections.named(election).isLeading();
    }

    /**
     * Runs the work on this thread if this process leads; the term is not released before it has returned.
     *
     * @return whether it ran
     */
    public <E extends Exception> boolean ifLeading(String election, Action<E> work) throws E {
        Optional<LedElection.Entry> entered = elections.named(election).enter();
        if (entered.isEmpty()) {
            return false;
        }
        try (LedElection.Entry entry = entered.get()) {
            work.run(entry.leadership());
        }
        return true;
    }

    /**
     * The same for work that must run.
     *
     * @throws NotLeadingException if this process does not lead, or has lost authority when the work returns
     */
    public <T extends @Nullable Object, E extends Exception> T leading(String election, Query<T, E> work) throws E {
        LedElection led = elections.named(election);
        try (LedElection.Entry entry = led.enter().orElseThrow(led::notLeading)) {
            T result = work.run(entry.leadership());
            entry.leadership().ensureValid();
            return result;
        }
    }
}
