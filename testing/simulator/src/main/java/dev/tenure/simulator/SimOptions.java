package dev.tenure.simulator;

/**
 * Which seeds to run.
 *
 * @param from the first one
 * @param seeds how many, one after the other
 * @param workers how many at the same time
 */
public record SimOptions(long from, long seeds, int workers) {
    public SimOptions {
        if (seeds < 1) {
            throw new IllegalArgumentException("seeds " + seeds + " must be > 0");
        }
        if (workers < 1) {
            throw new IllegalArgumentException("workers " + workers + " must be > 0");
        }
    }

    public static SimOptions seeds(long seeds) {
        return new SimOptions(1, seeds, 1);
    }

    public SimOptions from(long first) {
        return new SimOptions(first, seeds, workers);
    }

    public SimOptions workers(int count) {
        return new SimOptions(from, seeds, count);
    }
}
