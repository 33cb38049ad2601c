package dev.tenure;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Observes who leads, without a candidacy and without a claim. Tokens never go back. Without a leader it is empty;
 * without contact to the store for a TTL it is unknown; it never shows a stale name.
 */
public interface LeaderWatch extends AutoCloseable {
    ElectionName election();

    /** What is known now. */
    Sight sight();

    default Optional<Leader> leader() {
        return sight() instanceof Sight.Led led ? Optional.of(led.leader()) : Optional.empty();
    }

    /** Called with the present state first, then with each change, in order, off the engine's thread. */
    void onChange(Consumer<Change> listener);

    /** Waits until somebody leads, at most this long. */
    Optional<Leader> await(Duration atMost) throws InterruptedException;

    @Override
    void close();

    /** What an observer can know. */
    sealed interface Sight {
        record Led(Leader leader) implements Sight {}

        record Vacant() implements Sight {}

        record Unknown() implements Sight {}
    }

    record Change(Optional<Leader> from, Optional<Leader> to, Sight now) {}
}
