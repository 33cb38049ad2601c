// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

/**
 * What the servers have counted since they were started.
 *
 * @param requests of clients; messages in streams count too
 * @param reads what was read inside of them: ranges, or rows; 0 where the servers do not tell
 * @param writes what was written: proposals, or rows
 */
public record Counts(long requests, long reads, long writes) {
    public static final Counts NONE = new Counts(0, 0, 0);

    public Counts minus(Counts earlier) {
        return new Counts(requests - earlier.requests, reads - earlier.reads, writes - earlier.writes);
    }
}
