// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a standby costs that waits in very many elections, as PostgreSQL itself counts it. Leader and standby have a user of their
 * own, so that all their statements are counted, and none of the test's.
 */
@Tag("server")
class IdleCostTest {
    private static final int ELECTIONS = 2_000;
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String USER = "candidates";

    /** Questions of the standby, of which there is one in a TTL. */
    private static final int QUESTIONS = 3;
    /** To read all elections once, by 256 in a statement, takes eight. A listener tries its connection now and then. */
    private static final int OTHERS_MAX = 4;
    /** Of both together, so that neither has more. */
    private static final int STATEMENTS_PER_SECOND_MAX = 2;

    private static final int STALLS_MAX = 3;

    private final AtomicLong sessions = new AtomicLong();

    /**
     * What the two have asked of the server up to now.
     *
     * @param others that neither renew nor ask what has changed
     * @param contact which connections and sessions they have
     */
    private record Asked(long all, long questions, long others, String contact) {
        private static final String QUERY = "SELECT concat_ws(' ', coalesce(sum(s.calls), 0),"
                + " coalesce(sum(s.calls) FILTER (WHERE s.query LIKE '%txid_snapshot_xmin%'), 0),"
                + " coalesce(sum(s.calls) FILTER (WHERE s.query LIKE '%UPDATE %_records SET%JOIN LATERAL%'), 0),"
                + " (SELECT string_agg(a.pid || '@' || extract(epoch FROM a.backend_start), ',' ORDER BY a.pid)"
                + " FROM pg_stat_activity a WHERE a.usename = '" + USER + "'))"
                + " FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid WHERE r.rolname = '" + USER + "'";

        static Asked of(Postgres server, long sessions) {
            String[] found = server.ask(QUERY).split(" ");
            long all = Long.parseLong(found[0]);
            long questions = Long.parseLong(found[1]);
            long renewals = Long.parseLong(found[2]);
            return new Asked(all, questions, all - questions - renewals, sessions + "/" + found[3]);
        }
    }

    private static final class Idle implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }

    private Tenure connect(Postgres server) {
        String user = "?user=" + USER + "&password=" + SqlServer.PASSWORD;
        Tenure tenure = Tenure.connect(server.plainUrl(SqlServer.DATABASE) + user + "&tenure.timeout=10s")
                .ttl(TTL)
                .open();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.SessionOpened) {
                sessions.incrementAndGet();
            }
        });
        return tenure;
    }

    private static List<Candidacy> standInAll(Tenure tenure) {
        List<Candidacy> candidacies = new ArrayList<>();
        for (int i = 0; i < ELECTIONS; i++) {
            candidacies.add(tenure.elect("many/" + i).run(new Idle()));
        }
        return candidacies;
    }

    /** After the next question, and so many more. */
    private Asked afterQuestions(Postgres server, int questions) {
        long last = asked(server).questions + questions;
        Callable<Asked> now = () -> asked(server);
        return Awaitility.await("it asks what has changed")
                .atMost(PATIENCE)
                .until(now, asked -> asked.questions >= last);
    }

    private Asked asked(Postgres server) {
        return Asked.of(server, sessions.get());
    }

    /** Both have found out all that they want to know: between two questions there was nothing but renewals. */
    private Asked quiet(Postgres server) {
        Asked before = afterQuestions(server, 1);
        for (int round = 0; round < 10; round++) {
            Asked after = afterQuestions(server, 1);
            if (after.others == before.others) {
                return after;
            }
            before = after;
        }
        throw new AssertionError(
                "they never ask for less than each election: "
                        + server.ask(
                                "SELECT string_agg(calls || ' ' || query, E'\\n' ORDER BY calls DESC) FROM pg_stat_statements"));
    }

    @Test
    void a_standby_in_thousands_of_elections_asks_one_question_for_all_and_misses_nothing() {
        Postgres server = Postgres.running("shared_preload_libraries=pg_stat_statements");
        server.execute("CREATE EXTENSION pg_stat_statements");
        server.execute("CREATE ROLE " + USER + " SUPERUSER LOGIN PASSWORD '" + SqlServer.PASSWORD + "'");
        try (server;
                Tenure leader = connect(server);
                Tenure standby = connect(server)) {
            List<Candidacy> leading = standInAll(leader);
            Awaitility.await("it leads in all")
                    .atMost(PATIENCE)
                    .until(() -> leading.stream().allMatch(Candidacy::isLeading));
            List<Candidacy> waiting = standInAll(standby);

            assertIdle(server);

            int chosen = ELECTIONS / 2;
            // The other way round if a stall of the machine has cost the leader its session.
            boolean first = leading.get(chosen).isLeading();
            Candidacy leads = first ? leading.get(chosen) : waiting.get(chosen);
            Candidacy waits = first ? waiting.get(chosen) : leading.get(chosen);
            assertThat(leads.isLeading()).isTrue();
            leads.close();
            Awaitility.await("the other one leads there")
                    .atMost(TTL.multipliedBy(2))
                    .until(waits::isLeading);
        }
    }

    /**
     * A machine that stalls for seconds can cost a connection or a session. Then all elections have to be asked for again, and the
     * measurement begins again too.
     */
    private void assertIdle(Postgres server) {
        for (int stall = 0; stall < STALLS_MAX; stall++) {
            Asked before = quiet(server);
            long beganNanos = System.nanoTime();
            Asked after = afterQuestions(server, QUESTIONS);
            double seconds = Duration.ofNanos(System.nanoTime() - beganNanos).toMillis() / 1000.0;
            if (after.contact.equals(before.contact)) {
                assertThat(after.others - before.others)
                        .as("statements that neither renew nor ask what has changed")
                        .isLessThanOrEqualTo(OTHERS_MAX);
                assertThat((after.all - before.all) / seconds)
                        .as("statements a second of leader and standby together")
                        .isLessThanOrEqualTo(STATEMENTS_PER_SECOND_MAX);
                return;
            }
            System.err.println("IdleCostTest: begins again, because of " + before + " became " + after);
        }
        throw new AssertionError("connections or sessions were lost " + STALLS_MAX + " times");
    }
}
