package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that shows, with a claim that it applies, whether the session of that claim stands. */
class ShownBesideTest {
    private static final String CLAIM = ClaimRecord.key(ELECTION);

    private final ManualHost host = new ManualHost();
    private final MemoryStore store = new MemoryStore(host);
    private final Adapter a = new Adapter("a", host, store);
    private final Adapter b = new Adapter("b", host, store);
    private BackendSession sa;
    private String key = "";

    @BeforeEach
    void open() {
        store.showBeside();
        sa = a.open();
        key = SessionRecord.key(sa.id());
        store.calls();
    }

    @Test
    void nobody_looks_at_a_session_that_was_shown_with_its_claim() {
        a.granted(sa);

        assertThat(store.calls()).contains("set " + CLAIM).doesNotContain("read " + key);
    }

    @Test
    void nothing_is_granted_to_a_session_that_is_gone_when_its_claim_is_written() {
        store.fate("set " + CLAIM, Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());
        host.settle();
        store.remove(key);

        store.deliverDelayed();

        assertThat(a.failure(claim).effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(a.heard.lost).singleElement().asString().contains("removed");
    }

    @Test
    void nothing_is_granted_to_a_session_that_is_evicted_when_its_claim_is_written() {
        store.fate("set " + CLAIM, Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());
        host.settle();
        store.put(key, SessionRecord.of(store.peek(key)).evicted().text());

        store.deliverDelayed();

        assertThat(a.failure(claim).effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(b.granted(b.open()).takeover()).isTrue();
    }

    @Test
    void nothing_is_granted_to_a_session_that_was_acknowledged_later_than_it_is_shown() {
        a.await(sa.renew());
        String first = store.peek(key).value();
        a.await(sa.renew());
        store.put(key, first);

        a.failure(sa.claim(Adapter.request()));

        assertThat(a.heard.lost).singleElement().asString().contains("lost writes");
    }

    @Test
    void a_renewal_that_is_answered_before_the_claim_does_not_make_what_was_shown_with_it_too_old() {
        store.fate("set " + CLAIM, Fate.DELAY_REPLY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());
        host.settle();
        a.await(sa.renew());

        store.deliverDelayed();

        assertThat(a.await(claim)).isInstanceOf(ClaimReply.Granted.class);
        assertThat(a.heard.lost).isEmpty();
    }

    @Test
    void a_claim_that_is_released_before_it_is_answered_is_not_told_as_granted() {
        store.fate("set " + CLAIM, Fate.DELAY_REPLY);
        ClaimRequest request = Adapter.request();
        CompletionStage<ClaimReply> claim = sa.claim(request);
        host.settle();
        assertThat(a.await(sa.release(ELECTION, request.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        store.deliverDelayed();

        assertThat(a.failure(claim).effect()).isEqualTo(BackendException.Effect.UNKNOWN);
    }
}
