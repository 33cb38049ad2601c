// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.fakes.IssuingStore;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Scene;
import dev.tenure.fakes.ScriptedBackend;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Records that nobody needs any more are removed, and tokens grow all the same. */
class PruneTest {
    private static final Duration WEEK = Duration.ofDays(7);
    private static final Duration EIGHT_DAYS = Duration.ofDays(8);

    private final Scene scene = new Scene();
    private final Tenure tenure = scene.client("a");

    private FencingToken held(String election) {
        Candidacy candidacy = tenure.elect(election).perform(Scene.untilLost());
        scene.host.settle();
        FencingToken token = candidacy.term().orElseThrow().token();
        candidacy.close();
        return token;
    }

    private <T> T answer(CompletionStage<T> asked) {
        CompletableFuture<T> future = asked.toCompletableFuture();
        scene.host.settle();
        assertThat(future).isDone();
        return future.join();
    }

    private Pruned prune(Duration olderThan) {
        return answer(tenure.prune(olderThan, soFar -> {}));
    }

    private List<String> claims() {
        return scene.store.keys("c/");
    }

    @Test
    void a_record_that_is_vacant_and_old_is_removed_and_the_next_token_is_higher() {
        FencingToken before = held("order-1");
        scene.store.clockAhead(EIGHT_DAYS);

        Pruned pruned = prune(WEEK);
        FencingToken after = held("order-1");

        assertThat(pruned).isEqualTo(new Pruned(1, 1, 1, List.of()));
        assertThat(after).isGreaterThan(before);
    }

    @Test
    void the_next_token_of_a_process_that_comes_later_is_higher_too() {
        FencingToken before = held("order-1");
        scene.store.clockAhead(EIGHT_DAYS);
        prune(WEEK);
        assertThat(claims()).isEmpty();

        Tenure later = scene.client("later");
        Candidacy candidacy = later.elect("order-1").perform(Scene.untilLost());
        scene.host.settle();

        assertThat(candidacy.term().orElseThrow().token()).isGreaterThan(before);
    }

    @Test
    void a_record_that_is_held_or_younger_stays() {
        held("old");
        tenure.elect("held").perform(Scene.untilLost());
        scene.host.settle();
        scene.store.clockAhead(EIGHT_DAYS);
        held("young");

        Pruned pruned = prune(WEEK);

        assertThat(pruned).isEqualTo(new Pruned(3, 1, 1, List.of()));
        assertThat(claims()).containsExactlyInAnyOrder("c/held", "c/young");
    }

    @Test
    void a_dry_run_counts_and_removes_nothing() {
        held("order-1");
        scene.store.clockAhead(EIGHT_DAYS);

        Pruned pruned = answer(tenure.prunable(WEEK));

        assertThat(pruned).isEqualTo(new Pruned(1, 1, 0, List.of()));
        assertThat(claims()).containsExactly("c/order-1");
    }

    @Test
    void where_the_clock_is_behind_a_token_its_record_stays_with_a_sentence() {
        scene.store.clockAhead(EIGHT_DAYS);
        FencingToken ahead = held("ahead");
        scene.store.clockAhead(Duration.ZERO);

        Pruned pruned = prune(WEEK);

        assertThat(pruned.removed()).isZero();
        assertThat(pruned.refused()).hasSize(1);
        assertThat(pruned.refused().get(0).election()).isEqualTo("ahead");
        assertThat(pruned.refused().get(0).why()).contains("the store's clock", "is behind its token " + ahead);
        assertThat(claims()).containsExactly("c/ahead");
    }

    @Test
    void a_token_of_an_era_that_the_store_has_forgotten_is_ahead_of_its_clock() {
        answer(tenure.raiseEra());
        held("order-1");
        scene.store.put("e", scene.store.peek("e").value().replace("era=1", "era=0"));
        scene.store.clockAhead(EIGHT_DAYS);

        Pruned pruned = prune(WEEK);

        assertThat(pruned.removed()).isZero();
        assertThat(pruned.refused()).hasSize(1);
    }

    @Test
    void a_record_that_is_claimed_meanwhile_stays() {
        held("order-1");
        scene.store.clockAhead(EIGHT_DAYS);
        scene.store.fate("delete c/", Fate.DELAY);
        CompletableFuture<Pruned> pruning = tenure.prune(WEEK, soFar -> {}).toCompletableFuture();
        scene.host.settle();
        tenure.elect("order-1").perform(Scene.untilLost());
        scene.host.settle();

        scene.store.deliverDelayed();
        scene.host.settle();

        assertThat(pruning.join()).isEqualTo(new Pruned(1, 1, 0, List.of()));
        assertThat(claims()).containsExactly("c/order-1");
    }

    @Test
    void a_record_that_cannot_be_read_stays_and_hides_no_other() {
        held("order-1");
        scene.store.put("c/garbage", "garbage");
        scene.store.clockAhead(EIGHT_DAYS);

        Pruned pruned = prune(WEEK);

        assertThat(pruned.removed()).isEqualTo(1);
        assertThat(pruned.refused()).extracting(Pruned.Refused::election).containsExactly("c/garbage");
        assertThat(claims()).containsExactly("c/garbage");
    }

    @Test
    void nothing_but_claims_is_touched() {
        held("order-1");
        scene.store.put("o/order-1", "a request");
        scene.store.put("h/order-1", "a kind that this version does not know");
        List<String> before = scene.store.keys("").stream()
                .filter(key -> !key.startsWith("c/"))
                .toList();
        scene.store.clockAhead(EIGHT_DAYS);

        prune(WEEK);

        assertThat(scene.store.keys("")).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void thousands_are_removed_in_batches_and_progress_is_told() {
        held("order-0");
        String text = scene.store.peek("c/order-0").value();
        for (int i = 1; i < 1000; i++) {
            scene.store.put("c/order-" + i, text.replace("election=order-0", "election=order-" + i));
        }
        scene.store.clockAhead(EIGHT_DAYS);
        List<Integer> told = new ArrayList<>();

        Pruned pruned = answer(tenure.prune(WEEK, soFar -> told.add(soFar.removed())));

        assertThat(pruned).isEqualTo(new Pruned(1000, 1000, 1000, List.of()));
        assertThat(told).hasSizeGreaterThan(10).isSorted().startsWith(0, 64);
        assertThat(claims()).isEmpty();
    }

    @Test
    void a_record_younger_than_a_day_is_never_asked_for() {
        assertThatThrownBy(() -> tenure.prune(Duration.ofHours(23), soFar -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("records younger than 24h are not pruned")
                .hasMessageContaining("got 23h");
    }

    @Test
    void stores_that_do_not_count_are_not_pruned() {
        ManualHost host = new ManualHost();

        for (StoreBinding store : List.of(new IssuingStore(host), new ScriptedBackend())) {
            Tenure client = Tenure.using(store).host(host).open();
            assertThatThrownBy(() -> client.prunable(WEEK))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is not pruned: only stores that keep a record per election");
        }
    }
}
