// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.support.RecordCodec;
import java.time.Instant;
import java.util.Optional;

/** The value of a candidate's key. Peers of other makes write whatever they like there, and are candidates all the same. */
record EntryValue(Nonce nonce, String holder, Instant since, LeaderMetadata metadata) {
    private static final RecordCodec CODEC = new RecordCodec("tenure claim 1");

    static String text(ClaimRequest request, Instant now) {
        return CODEC.lines()
                .add("nonce", request.nonce())
                .add("holder", request.holder())
                .add("sinceMillis", now.toEpochMilli())
                .addAll("card.", request.metadata().entries())
                .text();
    }

    /** Empty if it was not written by Tenure. */
    static Optional<EntryValue> of(KeyValue entry) {
        return CODEC.find(
                entry.value(),
                fields -> new EntryValue(
                        Nonce.parse(fields.text("nonce")),
                        fields.text("holder"),
                        fields.epochMillis("sinceMillis"),
                        new LeaderMetadata(fields.under("card."))));
    }

    /** Is it the very entry that was created at this revision, on this lease, with this nonce? */
    static boolean isOf(KeyValue entry, long created, long lease, Nonce nonce) {
        return entry.createRevision() == created
                && entry.lease() == lease
                && of(entry).map(EntryValue::nonce).equals(Optional.of(nonce));
    }
}
