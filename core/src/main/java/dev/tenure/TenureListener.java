// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/** Receives events one at a time, in order. A failure is logged with its cause and does not disturb the engine. */
@FunctionalInterface
public interface TenureListener {
    /** Called with each event, in order. An exception is logged, and the next event follows. */
    void on(TenureEvent event);
}
