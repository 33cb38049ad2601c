package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import java.time.Duration;
import java.util.Optional;

/** What became of one claim. */
sealed interface Verdict {
    ClaimRequest request();

    /** @param formerTtl of a predecessor that did not release: as long as this it may still believe */
    record Won(ClaimRequest request, FencingToken token, boolean takeover, Duration formerTtl) implements Verdict {
        ClaimReply.Granted grant() {
            return new ClaimReply.Granted(token, request.nonce(), takeover, takeover ? formerTtl : Duration.ZERO);
        }

        Line.Holding holding(LockKeys keys) {
            return new Line.Holding(
                    keys.of(request.election()),
                    token.value(),
                    request.nonce().high(),
                    request.nonce().low());
        }
    }

    /** @param holder empty if its row was not there to be seen yet */
    record Taken(ClaimRequest request, Optional<Epoch> holder) implements Verdict {}

    /** Another election has the same lock. */
    record Collides(ClaimRequest request, ElectionName other) implements Verdict {}

    /** It was surely not applied. */
    record Refused(ClaimRequest request, BackendException why) implements Verdict {}
}
