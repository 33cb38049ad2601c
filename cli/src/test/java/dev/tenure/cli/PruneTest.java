// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.Tenure;
import dev.tenure.local.LocalProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code tenure prune}, on a store whose clock was eight days behind when its elections were held. */
@Timeout(60)
class PruneTest {
    private static final Duration EIGHT_DAYS = Duration.ofDays(8);

    @TempDir
    Path dir;

    private String url() {
        return "local:" + dir.resolve("store");
    }

    private FencingToken held(String election, Duration ago) throws Exception {
        AtomicReference<FencingToken> token = new AtomicReference<>();
        try (Tenure tenure = Tenure.using(host -> store(host, ago))
                .ttl(Duration.ofSeconds(2))
                .open()) {
            tenure.exclusively(election, Duration.ofSeconds(20), leadership -> token.set(leadership.token()));
        }
        return token.get();
    }

    private LeaseStore store(Host host, Duration ago) {
        BackendUrl where = new BackendUrl("local", dir.resolve("store").toString(), Map.of());
        LeaseStore store = (LeaseStore) new LocalProvider().connect(where, host);
        return (LeaseStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(store, arguments);
                    return answer instanceof CompletionStage<?> stage
                            ? stage.thenApply(shown -> earlier(shown, ago.toMillis()))
                            : answer;
                });
    }

    private static Object earlier(Object shown, long millis) {
        if (shown instanceof Versioned found) {
            return new Versioned(
                    found.key(), found.version(), found.value(), found.life(), found.clockMillis() - millis);
        }
        if (shown instanceof WriteReply.Applied applied) {
            return new WriteReply.Applied((Versioned) earlier(applied.now(), millis));
        }
        if (shown instanceof WriteReply.Refused refused) {
            return new WriteReply.Refused((Versioned) earlier(refused.current(), millis));
        }
        return ((List<?>) shown).stream().map(each -> earlier(each, millis)).toList();
    }

    @Test
    void old_records_are_removed_and_the_next_token_is_higher() throws Exception {
        FencingToken before = held("order-1", EIGHT_DAYS);
        held("order-2", Duration.ZERO);

        InProcess dry = InProcess.run("prune", "--dry-run", "--url", url());
        InProcess prune = InProcess.run("prune", "--url", url());
        InProcess again = InProcess.run("prune", "--url", url());
        FencingToken after = held("order-1", Duration.ZERO);

        assertThat(dry)
                .isEqualTo(new InProcess(0, "1 would be removed of 2 records at " + url() + ", 0 refused\n", ""));
        assertThat(prune).isEqualTo(new InProcess(0, "1 removed of 2 records at " + url() + ", 0 refused\n", ""));
        assertThat(again).isEqualTo(new InProcess(0, "0 removed of 1 record at " + url() + ", 0 refused\n", ""));
        assertThat(after).isGreaterThan(before);
    }

    @Test
    void programs_get_one_object() throws Exception {
        held("order-1", EIGHT_DAYS);

        InProcess prune = InProcess.run("prune", "--older-than", "2d", "--json", "--url", url());

        assertThat(prune.code()).isZero();
        assertThat(JsonText.object(prune.out()))
                .containsEntry("store", url())
                .containsEntry("olderThan", "48h")
                .containsEntry("dryRun", "false")
                .containsEntry("removed", "1")
                .containsEntry("refused", List.of());
    }

    @Test
    void a_record_that_is_ahead_of_the_clock_stays_and_exits_1() throws Exception {
        FencingToken ahead = held("order-1", EIGHT_DAYS.negated());

        InProcess prune = InProcess.run("prune", "--url", url());

        assertThat(prune.code()).isEqualTo(1);
        assertThat(prune.out()).isEqualTo("0 removed of 1 record at " + url() + ", 1 refused\n");
        assertThat(prune.err())
                .startsWith("tenure: order-1 stays: the store's clock (")
                .contains("token " + ahead);
    }

    @Test
    void what_cannot_be_pruned_is_refused_with_a_sentence() {
        InProcess young = InProcess.run("prune", "--older-than", "5m", "--url", url());
        InProcess operand = InProcess.run("prune", "order-1", "--url", url());
        InProcess peers = InProcess.run("prune", "--url", "peers://a@localhost:1,b@localhost:2,c@localhost:3");

        assertThat(young.code()).isEqualTo(64);
        assertThat(young.err()).contains("records younger than 24h are not pruned");
        assertThat(operand.code()).isEqualTo(64);
        assertThat(peers.code()).as(peers.err()).isEqualTo(64);
        assertThat(peers.err()).contains("is not pruned: only stores that keep a record per election");
    }
}
