package dev.tenure;

/**
 * User code that runs while leading, on a thread of its own. When it returns, the work is complete and the candidacy
 * retires; when it throws, the candidacy stands again after a cool-down.
 */
@FunctionalInterface
public interface Duty {
    void perform(Leadership leadership) throws Exception;
}
