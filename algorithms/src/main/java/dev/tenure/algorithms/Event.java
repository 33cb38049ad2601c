// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import java.util.Optional;

/**
 * What can happen to a machine. That a record has become durable is not among them: what has to wait for the disk is given to
 * the disk, as {@link Effect.Persist#then}.
 */
public sealed interface Event {
    /** The node begins, or begins again after a crash, with what it had persisted. Always the first event. */
    record Started(Optional<Durable> saved) implements Event {}

    /** Somebody wants a leader: the node is asked to hold an election. */
    record Called() implements Event {}

    /** Nobody wants this node to lead any more: it stops, or stops to stand. Where an algorithm has no way to, nothing happens. */
    record Resigned() implements Event {}

    record Received(int from, Message message) implements Event {}

    /** The timer of that name has run out. A timer that was set again or cancelled does not fire. */
    record TimerFired(String timer) implements Event {}

    /** The failure detector no longer hears this peer. It may be wrong. */
    record Suspected(int peer) implements Event {}

    /** The failure detector hears a suspected peer again. */
    record Recovered(int peer) implements Event {}
}
