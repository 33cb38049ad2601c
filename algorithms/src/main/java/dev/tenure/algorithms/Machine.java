// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

/**
 * One node of an algorithm: {@code (state, event, now) -> (state, effects)}. A machine holds only what never changes (who it is, who
 * the others are, its times); everything else is in the state, which is immutable.
 *
 * @param <S> its states
 */
public interface Machine<S> {
    /** Before {@link Event.Started}. */
    S initial();

    /** @param nowNanos of this node's monotonic clock */
    Step<S> on(S state, Event event, long nowNanos);
}
