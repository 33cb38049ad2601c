// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import java.util.Optional;

/** Servers that are not asked what they count, and without a floor. */
abstract class UncountedStore implements BenchStore {
    @Override
    public Optional<Kind> floor() {
        return Optional.empty();
    }

    @Override
    public boolean countsCandidates() {
        return false;
    }

    @Override
    public long candidates() {
        return 0;
    }

    @Override
    public Counts counts() {
        return Counts.NONE;
    }

    @Override
    public boolean countsRequests() {
        return false;
    }
}
