// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tenure.Grade;
import dev.tenure.Scope;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackendTraitsTest {
    private static final BackendTraits UNKNOWN = BackendTraits.of("store")
            .grade(Grade.A, "")
            .scope(Scope.CLUSTER)
            .ttl(Duration.ofSeconds(1), Duration.ofHours(1))
            .expiry(BackendTraits.ExpiryDetection.SERVER_TTL)
            .tokens(BackendTraits.TokenSource.REVISION)
            .wakeup(BackendTraits.Wakeup.QUEUE)
            .build();

    @ParameterizedTest
    @CsvSource({
        "0, ''",
        "1, The store has a single member: it does not survive the failure of that one.",
        "2, The store has 2 members: it does not survive the failure of one.",
        "3, ''",
        "4, 'The store has 4 members: it survives the failure of 1, as 3 would.'",
        "5, ''",
        "6, 'The store has 6 members: it survives the failure of 2, as 5 would.'"
    })
    void a_store_that_survives_fewer_failures_than_one_may_think_says_so(int members, String sentence) {
        BackendTraits traits = UNKNOWN.change().members(members).build();

        assertThat(traits.survival()).isEqualTo(sentence);
        assertThat(traits.members()).isEqualTo(members);
    }

    @Test
    void a_store_that_says_nothing_promises_the_least() {
        BackendTraits silent = BackendTraits.of("silent").build();

        assertThat(silent.grade()).isEqualTo(Grade.D);
        assertThat(silent.gradeReason()).isNotEmpty();
        assertThat(silent.scope()).isEqualTo(Scope.USER);
        assertThat(silent.expiry()).isEqualTo(BackendTraits.ExpiryDetection.OBSERVER);
        assertThat(silent.wakeup()).isEqualTo(BackendTraits.Wakeup.POLL);
    }

    @Test
    void a_change_keeps_everything_else() {
        assertThat(UNKNOWN.change().build()).isEqualTo(UNKNOWN);
    }

    @Test
    void what_cannot_be_is_refused() {
        BackendTraits.Builder backwards = BackendTraits.of("store").ttl(Duration.ofSeconds(2), Duration.ofSeconds(1));

        assertThatIllegalArgumentException().isThrownBy(backwards::build);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> UNKNOWN.change().members(-1).build());
    }
}
