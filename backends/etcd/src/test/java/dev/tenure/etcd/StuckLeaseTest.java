// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A lease that has ended while its key stays (B26), on real servers. A leader of the store that can check tokens but not make
 * them has none with which to revoke a lease, and tries in vain for ever; its followers let clients in.
 */
@Tag("server")
class StuckLeaseTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String ROOT = "root:secret";

    @TempDir
    private Path folder;

    private Cluster cluster;

    @BeforeEach
    void startServersWhoseLeaderCannotRevoke() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        String check = "--auth-token=jwt,sign-method=RS256,pub-key=" + pem("check", "PUBLIC KEY", pair.getPublic());
        String make = check + ",priv-key=" + pem("make", "PRIVATE KEY", pair.getPrivate());
        List<String> leads = List.of(check);
        List<String> lateToLead = List.of(make, "--election-timeout=2000");
        cluster = Cluster.start(EtcdServers.NEWEST, List.of(lateToLead, leads, leads));
        EtcdNode follower = cluster.nodes().get(0);
        if (cluster.leader() == follower) {
            follower.kill();
            cluster.awaitReady();
            follower.start();
            cluster.awaitReady();
        }
        cluster.post("/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"secret\"}");
        cluster.post("/v3/auth/role/add", "{\"name\":\"root\"}");
        cluster.post("/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
        cluster.post("/v3/auth/enable", "{}");
    }

    private Path pem(String name, String kind, Key key) throws IOException {
        String text = Base64.getMimeEncoder().encodeToString(key.getEncoded());
        return Files.writeString(
                folder.resolve(name + ".pem"),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    @AfterEach
    void stopServers() {
        cluster.close();
    }

    private String follower() {
        return cluster.nodes().get(0).endpoint();
    }

    private String url() {
        return "etcd://" + ROOT + "@" + follower() + "/bugs";
    }

    private void etcdctl(String command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command.replace("etcdctl", "\"$ETCDCTL\" --user=$ROOT"))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("etcdctl.out").toFile());
        builder.environment()
                .putAll(Map.of(
                        "ETCDCTL",
                        cluster.servers().etcdctl().toString(),
                        "ROOT",
                        ROOT,
                        "ETCDCTL_API",
                        "3",
                        "ETCDCTL_ENDPOINTS",
                        follower()));
        Process process = builder.start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve("etcdctl.out")))
                .isZero();
    }

    @Test
    void b26_a_lease_that_ended_and_was_not_revoked_is_told_with_the_command_that_frees_the_election()
            throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        try (Client dead = new Client(url());
                Tenure waiting = Tenure.connect(url()).ttl(TTL).open()) {
            Client.Seat holder = dead.open(TTL);
            holder.take(ELECTION); // and nobody renews it
            waiting.onEvent(event -> {
                if (event instanceof TenureEvent.StoreError trouble
                        && trouble.problem().startsWith("STUCK_HOLDER")) {
                    told.add(trouble.problem());
                }
            });
            Candidacy candidacy =
                    waiting.elect(ELECTION.value()).perform(leadership -> leadership.rest(Duration.ofDays(1)));

            await().atMost(SOON).until(() -> !told.isEmpty());
            String problem = told.get(0);
            assertThat(problem).contains("key bugs/sweeper/" + holder.lease(), "has not revoked its lease");
            assertThat(candidacy.isLeading()).isFalse();
            etcdctl(problem.substring(problem.indexOf("etcdctl ")));

            assertThat(candidacy.awaitLeading(SOON)).isTrue();
        }
    }
}
