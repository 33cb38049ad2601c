// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

/**
 * A {@link LeaseStore} that issues tokens: every write gets a number, and of two writes the later one gets the higher number,
 * whatever records they are about and whether these were deleted in between. Revisions of etcd, Kubernetes' resource versions
 * and Consul's modify indexes are such numbers. Such a store declares {@link BackendTraits.TokenSource#REVISION}.
 *
 * <p>Core leaves the token out of a claim that is held: the token is the number of the write that made it. Core never rewrites
 * such a record before it is given up, and whatever it writes over it carries the token in its text.
 */
public interface TokenIssuer extends LeaseStore {
    /** The number of the write that made this record, which is never an absent one. Does no I/O. */
    long tokenOf(Versioned written);
}
