// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.candidate.CandidateMode;
import dev.tenure.faults.ledger.FencedLedger;
import java.time.Duration;

/** How a campaign is run. The same seed makes the same choices; what the machine makes of them differs. */
public record Setup(Duration ttl, long seed, CandidateMode mode, FencedLedger.StaleWrites staleWrites) {
    public static Setup of(Duration ttl, long seed) {
        return new Setup(ttl, seed, CandidateMode.HONEST, FencedLedger.StaleWrites.FENCED);
    }

    public Setup with(CandidateMode other) {
        return new Setup(ttl, seed, other, staleWrites);
    }

    public Setup with(FencedLedger.StaleWrites other) {
        return new Setup(ttl, seed, mode, other);
    }
}
