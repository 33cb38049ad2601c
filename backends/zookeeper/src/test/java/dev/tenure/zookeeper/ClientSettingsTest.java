// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Observation;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What ZooKeeper's own client can be told, and by whom. */
@Tag("server")
@Isolated("system properties belong to the whole JVM")
class ClientSettingsTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final ElectionName ELECTION = ElectionName.of("e");

    private final String base = "/client-" + UUID.randomUUID();

    /** Another library of the same JVM may set them for its own client. Each of these would keep this one from connecting. */
    @Test
    void system_properties_for_other_clients_do_not_change_this_one() throws Exception {
        Map<String, String> foreign = Map.of(
                "zookeeper.client.secure", "true",
                "zookeeper.clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty",
                "zookeeper.sasl.clientconfig", "NoSuchSection",
                "zookeeper.disableAutoWatchReset", "true",
                "jute.maxbuffer", "16");
        foreign.forEach(System::setProperty);
        try (Actor actor = Actor.open(Ensemble.shared().url(base), TTL)) {
            assertThat(actor.take(ELECTION).token().value()).isPositive();
        } finally {
            foreign.keySet().forEach(System::clearProperty);
        }
    }

    @Test
    void the_settings_of_a_file_are_those_of_the_client(@TempDir Path folder) throws Exception {
        Path secure = Files.writeString(folder.resolve("client.properties"), "zookeeper.client.secure=true\n");

        try (Actor actor = new Actor(Ensemble.shared().url(base) + "&client=" + secure)) {
            assertThatThrownBy(() -> actor.open(TTL)).cause().hasMessageContaining("does not let the client in");
        }
    }

    @Test
    void everything_stands_below_the_chroot_for_candidates_and_observers() throws Exception {
        String url = Ensemble.shared().url("/tenure") + "&chroot=" + base;
        try (Operator operator = new Operator();
                Actor first = new Actor(url);
                Actor second = new Actor(url)) {
            operator.create(base, "");
            first.open(TTL);
            second.open(TTL);
            ClaimReply granted = first.ask(() -> {
                // The second and the third are created together, by a transaction.
                first.session().claim(claim(first, ElectionName.of("beside-1")));
                first.session().claim(claim(first, ElectionName.of("beside-2")));
                return first.session().claim(claim(first, ELECTION));
            });
            long token = ((ClaimReply.Granted) granted).token().value();
            second.claim(ELECTION, second.nonce());

            assertThat(operator.latches(base + "/tenure/c/e")).hasSize(2);
            List<Observation> seen = second.ask(() -> second.backend().list());
            assertThat(seen).anyMatch(one -> one.tokenMax() == token);
            assertThat(first.backend().traits().members()).isEqualTo(3);
            operator.remove(base + "/tenure/c/e/"
                    + operator.latches(base + "/tenure/c/e").get(0));
            Await.until("the next one leads", () -> !second.heard.grants().isEmpty());
            Await.until("and the first was told", () -> first.heard.changes().contains(ELECTION));
        }
    }

    private static ClaimRequest claim(Actor actor, ElectionName election) {
        return new ClaimRequest(election, actor.nonce(), 0, "actor", LeaderMetadata.EMPTY);
    }

    @Test
    void a_chroot_that_does_not_exist_is_told() {
        try (Actor actor = new Actor(Ensemble.shared().url("/tenure") + "&chroot=/no/such-" + UUID.randomUUID())) {
            assertThatThrownBy(() -> actor.open(TTL)).cause().hasMessageContaining("chroot does not exist");
        }
    }
}
