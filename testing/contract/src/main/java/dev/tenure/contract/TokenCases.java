// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Pruned;
import dev.tenure.internal.lease.LeaseBackend;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tokens grow over every way in which a term can end, and the era lifts them all. */
interface TokenCases extends BackendCases {
    int TERMS = 10;
    int CLIENTS = 4;
    Duration EIGHT_DAYS = Duration.ofDays(8);

    @Test
    default void tokens_grow_over_terms_of_different_holders() {
        RawSession one = fixture().client().open();
        RawSession two = fixture().client().open();
        List<FencingToken> tokens = new ArrayList<>();

        for (int i = 0; i < TERMS; i++) {
            RawSession holder = i % 3 == 0 ? one : two;
            ClaimReply.Granted grant = holder.take(ELECTION);
            tokens.add(grant.token());
            holder.release(ELECTION, grant.nonce());
        }

        assertGrowing(tokens);
    }

    @Test
    default void tokens_grow_over_closed_sessions_and_restarted_processes() {
        List<FencingToken> tokens = new ArrayList<>();

        for (int i = 0; i < TERMS; i++) {
            RawClient process = fixture().client();
            RawSession session = process.open("restarted");
            tokens.add(session.takeWhenFree(ELECTION).token());
            session.close();
            process.close();
        }

        assertGrowing(tokens);
    }

    @Test
    default void a_store_gets_its_id_and_its_era_once_however_many_ask_first() {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(fixture().client());
        }

        List<StoreEra> eras = ConcurrentThreads.together(
                CLIENTS, fixture().await(), member -> clients.get(member).era());

        assertThat(eras).containsOnly(clients.get(0).era());
        assertThat(eras.get(0).storeId()).isNotBlank();
        assertThat(fixture().client().era()).isEqualTo(eras.get(0));
    }

    @Test
    default void the_era_can_be_raised_and_never_goes_back() {
        RawClient client = fixture().client();
        StoreEra before = client.era();

        StoreEra raised = client.raiseEra(before.era() + 3);
        StoreEra lower = fixture().client().raiseEra(before.era() + 1);

        assertThat(raised).isEqualTo(new StoreEra(before.storeId(), before.era() + 3));
        assertThat(lower).isEqualTo(raised);
        assertThat(fixture().client().era()).isEqualTo(raised);
    }

    @Test
    default void concurrent_raises_end_at_the_highest() {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(fixture().client());
        }
        int before = clients.get(0).era().era();

        ConcurrentThreads.together(
                CLIENTS, fixture().await(), member -> clients.get(member).raiseEra(before + 1 + member));

        assertThat(clients.get(0).era().era()).isEqualTo(before + CLIENTS);
    }

    @Test
    default void tokens_after_a_raise_are_above_all_that_were_issued_before() {
        RawClient client = fixture().client();
        RawSession old = client.open();
        ClaimReply.Granted before = old.take(ELECTION);
        old.release(ELECTION, before.nonce());

        StoreEra raised = client.raiseEra(client.era().era() + 1);
        RawSession session = fixture().client().open();
        ClaimReply.Granted after = session.take(ELECTION);
        ClaimReply.Granted elsewhere = session.take(ElectionName.of("first held after the raise"));

        assertThat(after.token()).isGreaterThan(before.token());
        assertThat(after.token().era()).isEqualTo(raised.era());
        assertThat(elsewhere.token().era()).isEqualTo(raised.era());
    }

    @Test
    default void a_session_that_was_open_before_a_raise_follows_it() {
        RawClient client = fixture().client();
        RawSession session = client.open();
        List<FencingToken> tokens = new ArrayList<>();
        tokens.add(session.take(ELECTION).token());

        int raised = client.raiseEra(client.era().era() + 1).era();

        fixture().await().until("its tokens are of the new era", () -> {
            FencingToken token = session.take(ELECTION).token();
            tokens.add(token);
            return token.era() == raised;
        });
        assertGrowing(tokens);
    }

    // ---- tokens that a store issues with its writes

    @Test
    default void a_release_leaves_the_token_that_the_store_has_issued() {
        RawSession holder = issuing(fixture().client()).open();
        ClaimReply.Granted grant = holder.take(ELECTION);

        holder.release(ELECTION, grant.nonce());

        assertThat(fixture().client().read(ELECTION).tokenMax())
                .isEqualTo(grant.token().value());
    }

    @Test
    default void a_holder_that_was_evicted_leaves_the_token_that_the_store_has_issued() {
        RawSession holder = issuing(fixture().client()).open();
        RawSession rival = fixture().client().open();
        FencingToken first = holder.take(ELECTION).token();
        holder.fallSilent();

        ClaimReply.Granted second = rival.takeWhenFree(ELECTION);
        rival.release(ELECTION, second.nonce());
        ClaimReply.Granted third = fixture().client().open().take(ELECTION);

        assertGrowing(List.of(first, second.token(), third.token()));
        assertThat(rival.events().tokenSeenMax()).isEqualTo(second.token().value());
    }

    @Test
    default void a_claim_whose_answer_was_lost_has_the_token_that_others_see() {
        AtomicBoolean lose = new AtomicBoolean(true);
        RawSession holder = issuing(fixture()
                        .client((answer, call, about) -> isClaim(call, about) && lose.getAndSet(false)
                                ? answer.thenCompose(applied -> CompletableFuture.failedFuture(new LostAnswer()))
                                : answer))
                .open();
        Nonce nonce = holder.nonce();
        assertThat(fixture().await().fails(holder.send(RawSession.request(ELECTION, nonce))))
                .isTrue();
        fixture().client().open().take(ElectionName.of("written meanwhile"));

        ClaimReply.Granted readBack = RawSession.granted(holder.claim(ELECTION, nonce));

        assertThat(fixture().client().read(ELECTION).leader().map(Leader::token))
                .contains(readBack.token());
        assertThat(holder.holds(ELECTION, nonce)).isTrue();
        holder.release(ELECTION, nonce);
        assertThat(fixture().client().read(ELECTION).tokenMax())
                .isEqualTo(readBack.token().value());
    }

    @Test
    default void a_successor_has_seen_the_token_of_its_predecessor_before_it_is_granted() {
        RawSession holder = issuing(fixture().client()).open();
        RawSession rival = fixture().client().open();
        ClaimReply.Granted first = holder.take(ELECTION);

        RawSession.waiting(rival.claim(ELECTION, rival.nonce()));
        long seenWhileHeld = rival.events().tokenSeenMax();
        holder.release(ELECTION, first.nonce());
        RawSession later = fixture().client().open();
        ClaimReply.Granted second = later.take(ELECTION);

        assertThat(seenWhileHeld).isEqualTo(first.token().value());
        assertThat(later.events().tokensSeen())
                .containsExactly(first.token().value(), second.token().value());
    }

    class LostAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static boolean isClaim(String call, Object about) {
        return call.equals("compareAndSet") && ((Write) about).key().startsWith("c/");
    }

    private RawClient issuing(RawClient client) {
        boolean issues =
                client.backend() instanceof LeaseBackend && fixture().traits().tokens() == TokenSource.REVISION;
        assumeTrue(issues, "this backend declares sessions of its own, or that its tokens are counted");
        return client;
    }

    // ---- tokens that are counted, where records are pruned

    @Test
    default void tokens_grow_over_a_record_that_was_pruned() {
        RawSession killed = counting(weekAgo()).open();
        FencingToken first = killed.take(ELECTION).token();
        killed.fallSilent();
        RawSession rival = weekAgo().open();
        ClaimReply.Granted second = rival.takeWhenFree(ELECTION);
        rival.release(ELECTION, second.nonce());
        RawClient operator = fixture().client();

        Pruned pruned = prune(operator);
        long tokenLeft = operator.read(ELECTION).tokenMax();
        FencingToken third = fixture().client().open().take(ELECTION).token();

        assertThat(pruned).isEqualTo(new Pruned(1, 1, 1, List.of()));
        assertThat(tokenLeft).as("nothing is left").isZero();
        assertGrowing(List.of(first, second.token(), third));
    }

    @Test
    default void a_record_that_is_held_or_young_is_not_pruned() {
        RawSession holder = counting(weekAgo()).open();
        ClaimReply.Granted held = holder.take(ELECTION);
        RawSession young = fixture().client().open();
        ElectionName released = ElectionName.of("released today");
        ClaimReply.Granted last = young.take(released);
        young.release(released, last.nonce());

        Pruned pruned = prune(fixture().client());

        assertThat(pruned).isEqualTo(new Pruned(2, 0, 0, List.of()));
        assertThat(holder.holds(ELECTION, held.nonce())).isTrue();
        assertThat(fixture().client().read(released).tokenMax())
                .isEqualTo(last.token().value());
    }

    @Test
    default void a_record_whose_token_is_ahead_of_the_clock_is_not_pruned() {
        RawSession holder = counting(fixture().client()).open();
        ClaimReply.Granted last = holder.take(ELECTION);
        holder.release(ELECTION, last.nonce());

        Pruned pruned = prune(weekAgo());

        assertThat(pruned.removed()).isZero();
        assertThat(pruned.refused()).extracting(Pruned.Refused::election).containsExactly(NAME);
        assertThat(fixture().client().read(ELECTION).tokenMax())
                .isEqualTo(last.token().value());
    }

    /** A process that is shown the store's clock as it was then. */
    private RawClient weekAgo() {
        return fixture().client((answer, call, about) -> answer.thenApply(TokenCases::weekAgo));
    }

    private static Object weekAgo(Object shown) {
        if (shown instanceof Versioned stored) {
            long clockMillis = stored.clockMillis() - EIGHT_DAYS.toMillis();
            return new Versioned(stored.key(), stored.version(), stored.value(), stored.life(), clockMillis);
        }
        if (shown instanceof WriteReply.Applied applied) {
            return new WriteReply.Applied((Versioned) weekAgo(applied.now()));
        }
        if (shown instanceof WriteReply.Refused refused) {
            return new WriteReply.Refused((Versioned) weekAgo(refused.current()));
        }
        return ((List<?>) shown).stream().map(TokenCases::weekAgo).toList();
    }

    private static Pruned prune(RawClient operator) {
        LeaseBackend records = (LeaseBackend) operator.backend();
        return operator.ask(() -> records.prune(Duration.ofDays(7), Optional.of(soFar -> {})));
    }

    private RawClient counting(RawClient client) {
        TokenSource tokens = fixture().traits().tokens();
        assumeTrue(
                tokens == TokenSource.COUNTER, "this store declares that its tokens do not follow a clock: " + tokens);
        return client;
    }

    private static void assertGrowing(List<FencingToken> tokens) {
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }
}
