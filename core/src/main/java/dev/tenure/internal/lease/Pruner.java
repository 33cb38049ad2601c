// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.FencingToken;
import dev.tenure.Pruned;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Removes vacant claim records of a store that counts its tokens. Loop-confined.
 *
 * <p>The last token of an election lives in its record. Without the record, the next token is the store's clock, so a record may go
 * once that clock is past its token. The age of a record is the store's clock less the sequence of its token, which are
 * milliseconds of the same clock. The clock can later be set back by that age before a token is issued twice. No wall clock of
 * this process takes part.
 *
 * <p>A claim that was sent while there was no record can be applied again once there is none any more. {@code Tenure} asks for an
 * age of a day or more: by then no process believes the answer to such a claim.
 */
final class Pruner {
    private static final int TOGETHER_MAX = 64;

    private final LoopStore store;
    private final StoreEra era;
    private final long ageMillisMin;
    private final List<Versioned> prunable = new ArrayList<>();
    private final List<Pruned.Refused> refused = new ArrayList<>();
    private int records;
    private int removed;

    Pruner(LoopStore store, StoreEra era, Duration olderThan) {
        this.store = store;
        this.era = era;
        this.ageMillisMin = olderThan.toMillis();
    }

    Pruned look(List<Versioned> claims, ClaimTokens tokens) {
        records = claims.size();
        for (Versioned stored : claims) {
            try {
                ClaimRecord claim = tokens.read(stored);
                if (claim.isVacant()) {
                    judge(stored, claim);
                }
            } catch (BackendException unreadable) {
                refused.add(new Pruned.Refused(stored.key(), String.valueOf(unreadable.getMessage())));
            }
        }
        return soFar();
    }

    private void judge(Versioned stored, ClaimRecord claim) {
        long clockMillis = stored.clockMillis();
        if (claim.token() == 0) {
            refuse(claim, "it has never been held, and has no token that tells how old it is");
        } else if (claim.token() > ClaimTokens.byClock(era.era(), clockMillis).value()) {
            refuse(
                    claim,
                    "the store's clock (" + Instant.ofEpochMilli(clockMillis) + ", era " + era.era()
                            + ") is behind its token " + claim.token() + ", so the next token could be lower");
        } else if (clockMillis - new FencingToken(claim.token()).sequence() >= ageMillisMin) {
            prunable.add(stored);
        }
    }

    private void refuse(ClaimRecord claim, String why) {
        refused.add(new Pruned.Refused(claim.election().value(), why));
    }

    /** @param progress notified before each further batch how far it has come */
    CompletableFuture<Pruned> remove(int from, Consumer<Pruned> progress) {
        if (from == prunable.size()) {
            return CompletableFuture.completedFuture(soFar());
        }
        progress.accept(soFar());
        int to = Math.min(from + TOGETHER_MAX, prunable.size());
        CompletableFuture<?>[] together = prunable.subList(from, to).stream()
                .map(claim -> store.delete(claim).thenAccept(this::count))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(together).thenCompose(done -> remove(to, progress));
    }

    private void count(WriteReply reply) {
        removed += reply instanceof WriteReply.Applied ? 1 : 0;
    }

    private Pruned soFar() {
        return new Pruned(records, prunable.size(), removed, refused);
    }
}
