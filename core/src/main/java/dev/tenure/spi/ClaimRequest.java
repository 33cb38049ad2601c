// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;

/**
 * @param nonce new for every attempt
 * @param floor the highest token this process knows of for the election, or 0; a counting store grants above it
 * @param holder the name shown to operators
 */
public record ClaimRequest(ElectionName election, Nonce nonce, long floor, String holder, LeaderMetadata metadata) {
    /** The same request by a process that has seen this token too. */
    public ClaimRequest above(long token) {
        return token > floor ? new ClaimRequest(election, nonce, token, holder, metadata) : this;
    }
}
