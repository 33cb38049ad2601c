package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.kubernetes.lease.ElectionLease;
import dev.tenure.kubernetes.lease.TermNote;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.ClaimOrder;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What a session has in one election. Its claims, releases and removals of requests run one after the other. Loop-confined. */
final class ClaimState {
    /** @param lease as it stands under this term */
    record Held(ElectionLease lease, TermNote note) {
        Nonce nonce() {
            return note.nonce();
        }

        FencingToken token() {
            return new FencingToken(note.token());
        }
    }

    private final ElectionName election;
    /** An open claim is marked with the version that it expects; an empty one means that there is no Lease. */
    private final ClaimOrder<String> order = new ClaimOrder<>();

    private Optional<Nonce> newest = Optional.empty();
    private Optional<Held> held = Optional.empty();
    private Optional<Host.Timer> waiting = Optional.empty();
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    ClaimState(ElectionName election) {
        this.election = election;
    }

    ElectionName election() {
        return election;
    }

    ClaimOrder<String> order() {
        return order;
    }

    void claims(Nonce nonce) {
        order.claims(nonce);
        newest = Optional.of(nonce);
    }

    /** Empty if it was never claimed. */
    Optional<Nonce> newest() {
        return newest;
    }

    Optional<Held> held() {
        return held;
    }

    <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> mine = last.handle((done, failure) -> true).thenCompose(before -> call.get());
        last = mine;
        return mine;
    }

    /** Nothing that was claimed before can be applied any more. */
    void take(Held now) {
        held = Optional.of(now);
        order.settledIf((claim, version) -> true);
    }

    /** False if it is not held under this nonce any more, or a newer version of it is known. */
    boolean update(Held now) {
        boolean same = held.filter(known -> known.nonce().equals(now.nonce())
                        && known.lease().number() <= now.lease().number())
                .isPresent();
        if (same) {
            held = Optional.of(now);
        }
        return same;
    }

    /** False if it is not held under this nonce. */
    boolean drop(Nonce nonce) {
        boolean same = held.filter(known -> known.nonce().equals(nonce)).isPresent();
        if (same) {
            held = Optional.empty();
        }
        return same;
    }

    boolean waits() {
        return waiting.isPresent();
    }

    void await(Host.Timer timer) {
        stopWaiting();
        waiting = Optional.of(timer);
    }

    void stopWaiting() {
        waiting.ifPresent(Host.Timer::cancel);
        waiting = Optional.empty();
    }
}
