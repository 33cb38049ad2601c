// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeaderMetadataTest {
    @Test
    void a_card_of_exactly_8_kb_is_accepted() {
        LeaderMetadata metadata = LeaderMetadata.EMPTY.with("k", "x".repeat(LeaderMetadata.BYTES_MAX - 1));

        assertThat(metadata.entries().get("k")).hasSize(8 * 1024 - 1);
    }

    @Test
    void one_byte_more_is_refused_with_both_numbers_and_not_cut() {
        assertThatThrownBy(() -> LeaderMetadata.EMPTY.with("k", "x".repeat(LeaderMetadata.BYTES_MAX)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8193")
                .hasMessageContaining("8192");
    }

    @Test
    void the_cap_counts_bytes_of_utf_8_and_not_characters() {
        String threeBytesEach = "€".repeat(LeaderMetadata.BYTES_MAX / 3);

        assertThat(LeaderMetadata.EMPTY.with("", threeBytesEach).entries()).hasSize(1);
        assertThatThrownBy(() -> LeaderMetadata.EMPTY.with("", threeBytesEach + "€"))
                .hasMessageContaining("8193");
    }

    @Test
    void the_cap_counts_keys_and_all_entries_together() {
        LeaderMetadata half = LeaderMetadata.EMPTY.with("a".repeat(4096), "");

        assertThatThrownBy(() -> half.with("b", "x".repeat(4096))).hasMessageContaining("8193");
    }

    @Test
    void a_changed_card_leaves_the_first_one_as_it_was() {
        LeaderMetadata first = LeaderMetadata.EMPTY.with("address", "a:1");

        LeaderMetadata second = first.with("address", "b:2").with("zone", "z");

        assertThat(first.entries()).isEqualTo(Map.of("address", "a:1"));
        assertThat(second.entries()).isEqualTo(Map.of("address", "b:2", "zone", "z"));
        assertThat(LeaderMetadata.EMPTY.entries()).isEmpty();
    }

    @Test
    void a_card_does_not_change_with_the_map_it_was_made_of() {
        Map<String, String> source = new HashMap<>(Map.of("k", "v"));
        LeaderMetadata metadata = new LeaderMetadata(source);

        source.put("k", "changed");

        assertThat(metadata.entries()).isEqualTo(Map.of("k", "v"));
        assertThatThrownBy(() -> metadata.entries().put("k", "x")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void half_of_a_surrogate_pair_is_refused_because_no_store_could_keep_it() {
        assertThatThrownBy(() -> LeaderMetadata.EMPTY.with("k", "a\ud800b"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LeaderMetadata.EMPTY.with("\udc00", "v")).isInstanceOf(IllegalArgumentException.class);
    }
}
