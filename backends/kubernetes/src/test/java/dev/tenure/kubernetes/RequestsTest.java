// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Tenure;
import dev.tenure.kubernetes.apiserver.ApiServer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What elections cost at the server: one process leads, another one waits. */
@Tag("server")
class RequestsTest {
    /** A thousand claims are two thousand requests, beside whatever else the machine does. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Duration MEASURED = Duration.ofSeconds(6);
    private static final int QUIET = 10;

    /** Of this class alone, because all requests about Leases are counted. */
    private static Optional<ApiServer> running = Optional.empty();

    @BeforeAll
    static void start() {
        running = Optional.of(ApiServer.start(SharedApiServer.program()));
    }

    @AfterAll
    static void stop() {
        running.ifPresent(ApiServer::close);
    }

    @Test
    void fifty_elections_are_a_write_each_and_a_waiting_process_reads_little() {
        // 6 s are 2 renewals of 50 Leases at most; whoever waits renews by one read.
        assertCosts(50, "&ttl=15s", 2 * 50 + 50, 20);
    }

    @Test
    void a_thousand_elections_in_sessions_are_one_renewal_a_process() {
        // 6 s are 2 renewals of a leader at most, and 1 of a process that waits, which asks once in a TTL what has
        // changed.
        assertCosts(1000, "&sessions=on&ttl=20s", 4, 20);
    }

    private static void assertCosts(int elections, String options, long writesMax, long readsMax) {
        ApiServer server = running.orElseThrow();
        String namespace = "requests-" + elections;
        server.makeNamespace(namespace);
        String url = "kubernetes://" + namespace + "?kubeconfig=" + server.kubeconfig(ApiServer.ADMIN) + options;

        try (Tenure leader = Tenure.connect(url).open();
                Tenure waiting = Tenure.connect(url).open()) {
            stand(leader, elections);
            await().atMost(PATIENCE).until(() -> leader.stats().leading() == elections);
            long readsOfLeader = Counted.of(server).reads;
            stand(waiting, elections);
            await("each claim has read its Lease")
                    .atMost(PATIENCE)
                    .until(() -> Counted.of(server).reads >= readsOfLeader + elections);
            await("claims are answered").atMost(PATIENCE).until(() -> quiet(server).reads < QUIET);

            Counted before = Counted.of(server);
            await().pollDelay(MEASURED).atMost(PATIENCE).until(() -> true);
            Counted after = Counted.of(server);

            System.out.println("verify: " + elections + " elections" + options + ", two processes, "
                    + MEASURED.toSeconds() + " s: " + (after.writes - before.writes) + " writes, "
                    + (after.reads - before.reads) + " reads");
            assertThat(after.writes - before.writes).as("writes").isBetween(1L, writesMax);
            assertThat(after.reads - before.reads).as("reads").isLessThanOrEqualTo(readsMax);
            assertThat(leader.stats().leading()).isEqualTo(elections);
        }
    }

    private static Counted quiet(ApiServer server) {
        Counted before = Counted.of(server);
        await().pollDelay(Duration.ofMillis(500)).until(() -> true);
        Counted after = Counted.of(server);
        return new Counted(after.writes - before.writes, after.reads - before.reads);
    }

    private record Counted(long writes, long reads) {
        static Counted of(ApiServer server) {
            return new Counted(
                    server.leaseRequests("PUT") + server.leaseRequests("POST") + server.leaseRequests("DELETE"),
                    server.leaseRequests("GET") + server.leaseRequests("LIST"));
        }
    }

    private static void stand(Tenure tenure, int elections) {
        for (int i = 0; i < elections; i++) {
            tenure.elect("shard-" + i).perform(leadership -> {
                while (leadership.isActive()) {
                    leadership.rest(Duration.ofMinutes(1));
                }
            });
        }
    }
}
