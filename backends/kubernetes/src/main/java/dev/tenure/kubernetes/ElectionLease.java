// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.support.RequestRecord;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One election as its Lease. The five fields are those of every elector of Kubernetes, each of which may be null here; what Tenure adds stands in
 * annotations. Whatever else is in the Lease is kept. Immutable.
 *
 * @param lease as the server has shown it; empty if it has none
 */
record ElectionLease(ElectionName election, Optional<Lease> lease) {
    private static final String ELECTION = "tenure.dev/election";
    private static final String TERM = "tenure.dev/term";
    private static final String REQUEST = "tenure.dev/request";
    private static final String MOVED = "tenure.dev/moved";
    private static final int VACANT_SECONDS = 1;

    /** @throws BackendException if it is the Lease of another election */
    ElectionLease {
        String stands = lease.map(shown -> annotation(shown, ELECTION)).orElse("");
        if (!stands.isEmpty() && !stands.equals(election.value())) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.CORRUPT,
                    "Lease " + LeaseNames.of(election) + " is not of election '" + election + "' but of '" + stands
                            + "'");
        }
    }

    /** Empty if it is no election's; a Lease of other electors is an election of its name. */
    static Optional<ElectionLease> find(Lease lease) {
        String noted = annotation(lease, ELECTION);
        String name = lease.getMetadata().getName();
        try {
            ElectionName election = ElectionName.of(noted.isEmpty() ? name : noted);
            boolean ours = LeaseNames.of(election).equals(name);
            return ours ? Optional.of(new ElectionLease(election, Optional.of(lease))) : Optional.empty();
        } catch (IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }

    /** Has Tenure written to it? */
    boolean isKnown() {
        return lease.filter(shown -> !annotation(shown, ELECTION).isEmpty()).isPresent();
    }

    static String annotation(Lease lease, String name) {
        Map<String, String> all = lease.getMetadata().getAnnotations();
        return all == null ? "" : all.getOrDefault(name, "");
    }

    private Optional<LeaseSpec> spec() {
        return lease.map(Lease::getSpec);
    }

    /** 0 if there is no Lease. */
    long version() {
        return lease.map(shown -> versionNumber(shown.getMetadata().getResourceVersion()))
                .orElse(0L);
    }

    /** No two Leases share it, whatever their names. */
    Optional<String> uid() {
        return lease.map(shown -> shown.getMetadata().getUid());
    }

    /** @throws BackendException if tokens cannot be made of it */
    static long versionNumber(String version) {
        try {
            long number = Long.parseLong(version);
            if (number > 0 && number <= FencingToken.SEQUENCE_MAX) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // refused below
        }
        throw new BackendException(
                Effect.UNKNOWN,
                Kind.MISCONFIGURED,
                "the API server numbers its writes '" + version + "': a token has to be a number below 2^48");
    }

    /** Empty if nobody holds it. */
    String holder() {
        return spec().map(LeaseSpec::getHolderIdentity).orElse("");
    }

    boolean isVacant() {
        return holder().isEmpty();
    }

    /** Has somebody else than its holder ended the newest term of Tenure? */
    boolean isBlanked() {
        return isVacant() && note().filter(note -> !note.identity().isEmpty()).isPresent();
    }

    /** How long its holder may be silent. */
    Duration duration() {
        return Duration.ofSeconds(
                Math.max(0, spec().map(LeaseSpec::getLeaseDurationSeconds).orElse(0)));
    }

    private Instant acquired() {
        return spec().map(LeaseSpec::getAcquireTime)
                .map(ZonedDateTime::toInstant)
                .orElse(Instant.EPOCH);
    }

    /** Does a coordinator prefer somebody else? */
    Optional<String> prefersAnother(String identity) {
        return spec().filter(shown -> shown.getStrategy() != null)
                .map(LeaseSpec::getPreferredHolder)
                .filter(preferred -> !preferred.isEmpty() && !preferred.equals(identity));
    }

    /** The newest term of a candidate of Tenure, whether it has ended or not. */
    Optional<TermNote> note() {
        return lease.flatMap(shown -> TermNote.find(annotation(shown, TERM)));
    }

    /** The term of its holder; empty if that is nobody, or no candidate of Tenure. The token is known in it. */
    Optional<TermNote> term() {
        return note().filter(note -> !isVacant() && note.identity().equals(holder()))
                .map(note -> note.issued(version()));
    }

    /** The highest token that was noted here, or 0. */
    long tokenMax() {
        Optional<TermNote> shown = term().or(this::note);
        return shown.map(note -> Math.max(note.token(), note.tokenBefore())).orElse(0L);
    }

    /**
     * Empty if nobody holds it.
     *
     * @param tokenOfForeign for a holder that is no candidate of Tenure
     */
    Optional<Leader> leader(Supplier<FencingToken> tokenOfForeign) {
        if (isVacant()) {
            return Optional.empty();
        }
        return term().map(note -> new Leader(
                        election,
                        note.shown().node(),
                        new FencingToken(note.token()),
                        note.shown().since(),
                        note.shown().metadata()))
                .or(() -> Optional.of(new Leader(
                        election,
                        holder(),
                        tokenOfForeign.get(),
                        acquired(),
                        LeaderMetadata.EMPTY,
                        Optional.of(new Leader.Foreign(false, "stop its process")))));
    }

    Optional<OperatorRequest> request() {
        return lease.flatMap(shown -> RequestRecord.find(annotation(shown, REQUEST)));
    }

    // ---- what is written

    /** Held by this term. A coordinator's wishes stay. */
    Lease taken(TermNote note, Duration ttl, ZonedDateTime now) {
        int transitions = Objects.requireNonNullElse(
                spec().map(LeaseSpec::getLeaseTransitions).orElse(-1), -1);
        return held(note, now)
                .editSpec()
                .withLeaseDurationSeconds((int) ttl.toSeconds())
                .withAcquireTime(now)
                .withLeaseTransitions(transitions + 1)
                .endSpec()
                .build();
    }

    /** Held on by the term that holds it, with its token. */
    Lease renewed(TermNote note, ZonedDateTime now) {
        return held(note, now).build();
    }

    private LeaseBuilder held(TermNote note, ZonedDateTime now) {
        return edit(Optional.of(note))
                .editOrNewSpec()
                .withHolderIdentity(note.identity())
                .withRenewTime(now)
                .endSpec();
    }

    /** Nobody holds it, in the way that every elector understands at once: no holder, times that are there, and one second. */
    Lease vacated(ZonedDateTime now) {
        return edit(term().map(TermNote::released))
                .editOrNewSpec()
                .withHolderIdentity(null)
                .withLeaseDurationSeconds(VACANT_SECONDS)
                .withAcquireTime(now)
                .withRenewTime(now)
                .withLeaseTransitions(spec().map(LeaseSpec::getLeaseTransitions).orElse(0))
                .endSpec()
                .build();
    }

    /** The same under another version. */
    Lease moved(ZonedDateTime now) {
        return annotated(MOVED, now.toString());
    }

    Lease requesting(OperatorRequest request) {
        return annotated(REQUEST, RequestRecord.text(request));
    }

    Lease withoutRequest() {
        return edit(term())
                .editMetadata()
                .removeFromAnnotations(REQUEST)
                .endMetadata()
                .build();
    }

    private Lease annotated(String name, String value) {
        return edit(term())
                .editMetadata()
                .addToAnnotations(name, value)
                .endMetadata()
                .build();
    }

    /** Each write changes the version: the token of a term that has not noted it yet is noted now. */
    private LeaseBuilder edit(Optional<TermNote> term) {
        LeaseBuilder edited = lease.map(LeaseBuilder::new)
                .orElseGet(() -> new LeaseBuilder()
                        .withNewMetadata()
                        .withName(LeaseNames.of(election))
                        .endMetadata());
        edited.editMetadata().addToAnnotations(ELECTION, election.value()).endMetadata();
        term.ifPresent(note ->
                edited.editMetadata().addToAnnotations(TERM, note.text()).endMetadata());
        return edited;
    }

    /** True UTC, in microseconds. */
    static ZonedDateTime time(long wallMillis, long micros) {
        return Instant.ofEpochMilli(wallMillis).plusNanos(micros * 1000).atZone(ZoneOffset.UTC);
    }
}
