package dev.tenure;

/** Receives events one at a time, in order. A failure is logged with its cause and does not disturb the engine. */
@FunctionalInterface
public interface TenureListener {
    void on(TenureEvent event);
}
