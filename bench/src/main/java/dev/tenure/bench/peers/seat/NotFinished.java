// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

/** A step of a contender took longer than anybody would wait. */
public final class NotFinished extends Exception {
    private static final long serialVersionUID = 1L;

    public NotFinished(String message) {
        super(message);
    }
}
