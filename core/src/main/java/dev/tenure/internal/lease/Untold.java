package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.ClaimRequest;
import java.util.HashMap;
import java.util.Map;

/**
 * Tokens that a look of this process has come across and could not tell, because what it had to look at next did not answer.
 * A process that has seen a token does not lead with one at or below it, whatever became of the look. Loop-confined.
 */
final class Untold {
    private final Map<ElectionName, Long> tokens = new HashMap<>();

    void cameAcross(ClaimRecord claim) {
        tokens.merge(claim.election(), claim.token(), Math::max);
    }

    /** The engine hears of this one, so it need not be kept here. */
    void told(ClaimRecord claim) {
        tokens.computeIfPresent(claim.election(), (election, token) -> token > claim.token() ? token : null);
    }

    ClaimRequest above(ClaimRequest request) {
        return request.above(tokens.getOrDefault(request.election(), 0L));
    }
}
