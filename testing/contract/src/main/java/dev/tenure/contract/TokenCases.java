package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.StoreEra;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tokens grow over every way in which a term can end, and the era lifts them all. */
interface TokenCases extends BackendCases {
    int TERMS = 10;
    int CLIENTS = 4;

    @Test
    default void tokens_grow_over_terms_of_different_holders() {
        RawSession one = lab().client().open();
        RawSession two = lab().client().open();
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
            RawClient process = lab().client();
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
            clients.add(lab().client());
        }

        List<StoreEra> eras = Crew.together(
                CLIENTS, lab().patience(), member -> clients.get(member).era());

        assertThat(eras).containsOnly(clients.get(0).era());
        assertThat(eras.get(0).storeId()).isNotBlank();
        assertThat(lab().client().era()).isEqualTo(eras.get(0));
    }

    @Test
    default void the_era_can_be_raised_and_never_goes_back() {
        RawClient client = lab().client();
        StoreEra before = client.era();

        StoreEra raised = client.raiseEra(before.era() + 3);
        StoreEra lower = lab().client().raiseEra(before.era() + 1);

        assertThat(raised).isEqualTo(new StoreEra(before.storeId(), before.era() + 3));
        assertThat(lower).isEqualTo(raised);
        assertThat(lab().client().era()).isEqualTo(raised);
    }

    @Test
    default void concurrent_raises_end_at_the_highest() {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(lab().client());
        }
        int before = clients.get(0).era().era();

        Crew.together(CLIENTS, lab().patience(), member -> clients.get(member).raiseEra(before + 1 + member));

        assertThat(clients.get(0).era().era()).isEqualTo(before + CLIENTS);
    }

    @Test
    default void tokens_after_a_raise_are_above_all_that_were_issued_before() {
        RawClient client = lab().client();
        RawSession old = client.open();
        ClaimReply.Granted before = old.take(ELECTION);
        old.release(ELECTION, before.nonce());

        StoreEra raised = client.raiseEra(client.era().era() + 1);
        RawSession session = lab().client().open();
        ClaimReply.Granted after = session.take(ELECTION);
        ClaimReply.Granted elsewhere = session.take(ElectionName.of("first held after the raise"));

        assertThat(after.token()).isGreaterThan(before.token());
        assertThat(after.token().era()).isEqualTo(raised.era());
        assertThat(elsewhere.token().era()).isEqualTo(raised.era());
    }

    @Test
    default void a_session_that_was_open_before_a_raise_follows_it() {
        RawClient client = lab().client();
        RawSession session = client.open();
        List<FencingToken> tokens = new ArrayList<>();
        tokens.add(session.take(ELECTION).token());

        int raised = client.raiseEra(client.era().era() + 1).era();

        lab().patience().until("its tokens are of the new era", () -> {
            FencingToken token = session.take(ELECTION).token();
            tokens.add(token);
            return token.era() == raised;
        });
        assertGrowing(tokens);
    }

    private static void assertGrowing(List<FencingToken> tokens) {
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }
}
