// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeysTest {
    private static final long LEASE = 0x694d8a1b2c3d4e5fL;

    @Test
    void a_candidate_lies_where_the_tools_of_etcd_look_for_it() {
        Keys keys = new Keys("apps", false);

        assertThat(keys.entry(ElectionName.of("sweeper"), LEASE)).isEqualTo("apps/sweeper/694d8a1b2c3d4e5f");
        assertThat(keys.election(ElectionName.of("sweeper"))).isEqualTo(new KeyRange("apps/sweeper/", "apps/sweeper0"));
    }

    @Test
    void no_election_lies_inside_another() {
        Keys keys = new Keys("apps", false);
        KeyRange outer = keys.election(ElectionName.of("a"));

        for (String name : List.of("a/b", "a/", "aa", "a0", ".a", "A")) {
            String entry = keys.entry(ElectionName.of(name), LEASE);
            assertThat(entry.compareTo(outer.from()) >= 0 && entry.compareTo(outer.to()) < 0)
                    .as(name)
                    .isFalse();
        }
    }

    @Test
    void the_election_of_a_key_is_found_again() {
        for (String name : List.of("a", "a/b", ".era", "\u00e9", "../x", "%2f")) {
            ElectionName election = ElectionName.of(name);
            Keys keys = new Keys("apps", false);

            assertThat(keys.electionOfEntry(keys.entry(election, LEASE))).contains(election);
            assertThat(keys.electionOfTerm(keys.term(election))).contains(election);
        }
    }

    @Test
    void a_raw_name_is_taken_as_it_is() {
        Keys keys = new Keys("", true);
        ElectionName name = ElectionName.of("service/Gr\u00f6\u00dfe");

        assertThat(keys.electionOfEntry(keys.entry(name, LEASE))).contains(name);
        assertThat(keys.entry(ElectionName.of("service/a"), 255)).isEqualTo("service/a/ff");
    }

    @Test
    void with_raw_names_a_key_stands_in_the_queues_of_all_elections_that_it_lies_in() {
        ElectionName outer = ElectionName.of("a");
        ElectionName inner = ElectionName.of("a/b");

        assertThat(new Keys("", true).queuesOf("a/b/ff")).containsExactly(inner, outer);
        assertThat(new Keys("apps", false).queuesOf(new Keys("apps", false).entry(inner, LEASE)))
                .containsExactly(inner);
    }

    @Test
    void our_own_records_are_nobodys_election() {
        Keys keys = new Keys("apps", false);

        assertThat(keys.electionOfEntry(keys.era())).isEmpty();
        assertThat(keys.electionOfEntry(keys.session(LEASE))).isEmpty();
        assertThat(keys.electionOfEntry(keys.request(ElectionName.of("a")))).isEmpty();
        for (String name : List.of("tenure", "tenure/.era", "tenure/.term/x")) {
            assertThatThrownBy(() -> new Keys("", true).election(ElectionName.of(name)))
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining(name);
        }
    }
}
