package dev.tenure.faults;

import dev.tenure.faults.candidate.Manners;
import dev.tenure.faults.ledger.Ledger;
import java.time.Duration;

/** How a campaign is run. The same seed makes the same choices; what the machine makes of them differs. */
public record Setup(Duration ttl, long seed, Manners manners, Ledger.Door door) {
    public static Setup of(Duration ttl, long seed) {
        return new Setup(ttl, seed, Manners.HONEST, Ledger.Door.FENCED);
    }

    public Setup with(Manners other) {
        return new Setup(ttl, seed, other, door);
    }

    public Setup with(Ledger.Door other) {
        return new Setup(ttl, seed, manners, other);
    }
}
