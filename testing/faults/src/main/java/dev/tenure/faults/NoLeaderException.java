// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

/** Nobody leads, long after somebody should have. */
final class NoLeaderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoLeaderException(String message) {
        super(message);
    }
}
