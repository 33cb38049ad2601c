// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import org.junit.jupiter.api.Test;

class CzxidTokenTest {
    private static final long LAST = (1L << 48) - 1;

    @Test
    void the_last_transaction_of_the_last_epoch_is_a_token() {
        FencingToken token = ElectionSnapshot.token(3, LAST);

        assertThat(token.era()).isEqualTo(3);
        assertThat(token.sequence()).isEqualTo(LAST);
    }

    @Test
    void one_transaction_more_is_refused_and_what_to_do_is_told() {
        assertThatThrownBy(() -> ElectionSnapshot.token(3, LAST + 1))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED))
                .hasMessageContaining("0x1000000000000")
                .hasMessageContaining("epoch 65536")
                .hasMessageContaining("tenure era raise");
    }

    @Test
    void no_transaction_is_no_token() {
        assertThatThrownBy(() -> ElectionSnapshot.token(0, 0)).isInstanceOf(BackendException.class);
        assertThatThrownBy(() -> ElectionSnapshot.token(0, -1)).isInstanceOf(BackendException.class);
    }
}
