// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.Term;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ReleaseReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A row that is deleted by hand: the loss is told before the lock is free, and the lock is free in the end. */
@Tag("server")
class OrphanedLocksTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ElectionName ELECTION = ElectionName.of("billing");
    private static final ElectionName OTHER = ElectionName.of("other");

    private static String locks(String namespace, ElectionName... elections) {
        ElectionTables.LockKeys keys = new ElectionTables.LockKeys("public.t_" + namespace + "_epochs");
        List<String> wanted = Stream.of(elections)
                .map(election -> Long.toString(keys.of(election)))
                .toList();
        return AdvisoryServer.shared()
                .ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                        + " AND (classid::bigint << 32) | objid::bigint IN (" + String.join(", ", wanted) + ")");
    }

    private static void deleteRows(String namespace) {
        AdvisoryServer.shared().execute("DELETE FROM t_" + namespace + "_epochs");
    }

    private static Term term(ElectionName election, ClaimReply.Granted grant) {
        return new Term(election, grant.token(), grant.nonce(), "holder");
    }

    @Test
    void nobody_else_is_granted_the_election_before_the_one_who_was_told_has_released_it() {
        try (Side holder = new Side(AdvisoryServer.url("toldfirst"));
                Side rival = new Side(AdvisoryServer.url("toldfirst"))) {
            BackendSession session = holder.open(LONG);
            ClaimReply.Granted grant = holder.take(session, ELECTION);
            rival.claim(rival.open(LONG), ELECTION);

            deleteRows("toldfirst");
            assertThat(holder.lostAtRenewal(session)).containsExactly(ELECTION);
            assertThat(holder.ask(() -> session.holds(term(ELECTION, grant)))).isFalse();
            assertThat(locks("toldfirst", ELECTION)).isEqualTo("1");
            assertThat(rival.heard().grants()).isEmpty();

            ReleaseReply released = holder.ask(() -> session.release(ELECTION, grant.nonce()));

            assertThat(released).isEqualTo(ReleaseReply.NOT_HELD);
            assertThat(rival.pushed().token()).isGreaterThan(grant.token());
        }
    }

    @Test
    void one_who_was_told_and_does_not_release_has_its_lock_freed_by_a_later_heartbeat() {
        try (Side holder = new Side(AdvisoryServer.url("overdue"));
                Side rival = new Side(AdvisoryServer.url("overdue"))) {
            BackendSession session = holder.open(SHORT);
            ClaimReply.Granted grant = holder.take(session, ELECTION);
            rival.claim(rival.open(LONG), ELECTION);
            deleteRows("overdue");

            await().atMost(PATIENCE).until(() -> {
                holder.ask(session::renew);
                return !rival.heard().grants().isEmpty();
            });

            assertThat(rival.pushed().token()).isGreaterThan(grant.token());
            assertThat(holder.heard().losses()).isEmpty();
        }
    }

    @Test
    void a_standby_of_several_elections_hears_that_a_lock_without_a_row_is_free() {
        try (Side holder = new Side(AdvisoryServer.url("heardfree"));
                Side rival = new Side(AdvisoryServer.url("heardfree"))) {
            BackendSession session = holder.open(LONG);
            ClaimReply.Granted grant = holder.take(session, ELECTION);
            holder.take(session, OTHER);
            BackendSession standby = rival.open(LONG);
            rival.claim(standby, ELECTION);
            rival.claim(standby, OTHER);
            awaitListening("heardfree", 2);
            rival.heard().forget();
            deleteRows("heardfree");
            holder.ask(session::renew);

            holder.ask(() -> session.release(ELECTION, grant.nonce()));

            await().atMost(PATIENCE).until(() -> rival.heard().changes().contains(ELECTION));
            rival.take(standby, ELECTION);
        }
    }

    private static void awaitListening(String namespace, int number) {
        await().atMost(PATIENCE)
                .until(() -> AdvisoryServer.shared()
                        .ask("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %t_" + namespace + "_%'")
                        .equals(Integer.toString(number)));
    }

    @Test
    void one_who_claims_again_has_the_election_anew_and_its_lock_once() {
        try (Side side = new Side(AdvisoryServer.url("anew"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted first = side.take(session, ELECTION);
            deleteRows("anew");
            side.ask(session::renew);

            ClaimReply.Granted second = side.take(session, ELECTION);
            List<ElectionName> lost = side.lostAtRenewal(session);

            assertThat(second.token()).isGreaterThan(first.token());
            assertThat(side.ask(() -> session.holds(term(ELECTION, second)))).isTrue();
            assertThat(lost).isEmpty();
            side.ask(() -> session.release(ELECTION, second.nonce()));
            assertThat(locks("anew", ELECTION)).isEqualTo("0");
        }
    }

    @Test
    void several_that_are_released_together_are_freed_together() {
        try (Side side = new Side(AdvisoryServer.url("together"))) {
            BackendSession session = side.open(LONG);
            ClaimReply.Granted one = side.take(session, ELECTION);
            ClaimReply.Granted other = side.take(session, OTHER);
            deleteRows("together");
            side.ask(session::renew);

            CompletableFuture<ReleaseReply> first = new CompletableFuture<>();
            ReleaseReply second = side.ask(() -> {
                session.release(ELECTION, one.nonce()).thenAccept(first::complete);
                return session.release(OTHER, other.nonce());
            });

            assertThat(List.of(Side.within(first), second)).containsOnly(ReleaseReply.NOT_HELD);
            assertThat(locks("together", ELECTION, OTHER)).isEqualTo("0");
        }
    }

    @Test
    void heartbeats_keep_their_pace_while_a_duty_whose_row_is_gone_does_not_end() {
        CompletableFuture<Leadership> old = new CompletableFuture<>();
        CompletableFuture<Boolean> mayEnd = new CompletableFuture<>();
        try (Tenure leader =
                Tenure.connect(AdvisoryServer.url("pace")).ttl(SHORT).open()) {
            leader.elect("billing").perform(leadership -> {
                old.complete(leadership);
                mayEnd.join(); // whatever it is interrupted by
            });
            Leadership first = Side.within(old);
            deleteRows("pace");
            await().atMost(PATIENCE).pollDelay(Duration.ZERO).until(() -> !first.isValid());
            long before = leader.stats().renewals();

            await().atMost(PATIENCE).until(() -> locks("pace", ELECTION).equals("0"));

            assertThat(leader.stats().renewals() - before)
                    .as("in half a TTL and a heartbeat")
                    .isLessThan(20);
            mayEnd.complete(true);
        }
    }

    @Test
    void a_leader_has_no_authority_any_more_and_its_duty_has_ended_when_its_successor_begins() {
        Duration ttl = Duration.ofSeconds(8);
        CompletableFuture<Leadership> old = new CompletableFuture<>();
        CompletableFuture<Boolean> mayEnd = new CompletableFuture<>();
        CompletableFuture<Boolean> believedByTwo = new CompletableFuture<>();
        try (Tenure leader =
                        Tenure.connect(AdvisoryServer.url("drained")).ttl(ttl).open();
                Tenure successor =
                        Tenure.connect(AdvisoryServer.url("drained")).ttl(ttl).open()) {
            leader.elect("billing").perform(leadership -> {
                old.complete(leadership);
                mayEnd.join(); // whatever it is interrupted by
            });
            Leadership first = Side.within(old);
            successor.elect("billing").perform(leadership -> {
                believedByTwo.complete(first.isValid());
                leadership.rest(PATIENCE);
            });

            deleteRows("drained");

            await().atMost(PATIENCE).pollDelay(Duration.ZERO).until(() -> !first.isValid());
            assertThat(locks("drained", ELECTION)).as("its duty still runs").isEqualTo("1");
            assertThat(believedByTwo).isNotDone();
            mayEnd.complete(true);
            assertThat(Side.within(believedByTwo)).isFalse();
        }
    }
}
