// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.StoreEra;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EraRecordTest {
    private final Deque<StoreEra> others = new ArrayDeque<>();
    private final List<StoreEra> written = new ArrayList<>();
    private StoreEra stored = new StoreEra("id", 3);

    private CompletableFuture<StoreEra> raise(int atLeast) {
        return EraRecord.raise(atLeast, () -> CompletableFuture.completedFuture(stored), now -> now, this::replace);
    }

    private CompletableFuture<Boolean> replace(StoreEra known, StoreEra raised) {
        if (!others.isEmpty()) {
            stored = others.remove();
        }
        boolean replaced = stored.equals(known);
        if (replaced) {
            stored = raised;
            written.add(raised);
        }
        return CompletableFuture.completedFuture(replaced);
    }

    @Test
    void the_text_is_the_same_in_every_version() {
        assertThat(EraRecord.text(stored)).isEqualTo("tenure era 1\nstore=id\nera=3\n");
        assertThat(EraRecord.of("key e", EraRecord.text(stored))).isEqualTo(stored);
    }

    @Test
    void a_lower_era_is_raised_and_keeps_its_store() {
        assertThat(raise(5)).isCompletedWithValue(new StoreEra("id", 5));
        assertThat(written).containsExactly(new StoreEra("id", 5));
    }

    @Test
    void an_era_that_is_high_enough_is_left_alone() {
        assertThat(raise(3)).isCompletedWithValue(new StoreEra("id", 3));
        assertThat(raise(0)).isCompletedWithValue(new StoreEra("id", 3));
        assertThat(written).isEmpty();
    }

    @Test
    void an_era_that_others_have_changed_meanwhile_is_read_again() {
        others.add(new StoreEra("id", 4));

        assertThat(raise(5)).isCompletedWithValue(new StoreEra("id", 5));

        stored = new StoreEra("id", 3);
        others.add(new StoreEra("id", 7));

        assertThat(raise(5)).isCompletedWithValue(new StoreEra("id", 7));
    }

    @Test
    void one_that_changes_all_the_time_is_given_up() {
        for (int i = 0; i < 100; i++) {
            others.add(new StoreEra("id" + i, 3));
        }

        assertThatThrownBy(raise(5)::join)
                .hasCauseInstanceOf(BackendException.class)
                .hasMessageContaining("try again");
        assertThat(written).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, FencingToken.ERA_MAX + 1, Integer.MAX_VALUE})
    void an_era_that_no_token_can_carry_is_refused(int era) {
        assertThatThrownBy(raise(era)::join)
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("outside 0..32767");
    }
}
