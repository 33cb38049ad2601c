// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;

/** An operator's request, obeyed by the holder of exactly this token and then cleared. */
public record OperatorRequest(ElectionName election, Verb verb, FencingToken token, String by) {
    /** What an operator may ask a leader to do. */
    public enum Verb {
        /** Step down, let others go first, and stand again. */
        RESIGN
    }
}
