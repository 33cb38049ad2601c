// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeaseNamesTest {
    private static final String SUBDOMAIN = "[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*";

    @Test
    void a_name_that_kubernetes_allows_is_kept() {
        assertThat(LeaseNames.of(ElectionName.of("billing-sweeper"))).isEqualTo("billing-sweeper");
        assertThat(LeaseNames.of(ElectionName.of("a.b"))).isEqualTo("a.b");
    }

    @Test
    void names_of_ours_are_not_taken_by_an_election() {
        assertThat(LeaseNames.of(ElectionName.of("tenure-era"))).isNotEqualTo("tenure-era");
    }

    @Test
    void keys_of_records_have_names_of_their_own() {
        List<String> keys = List.of("c/a", "c/A", "c/a%2Fb", "c/a/b", "s/a", "o/a", "z", "c/" + "x".repeat(698));
        Set<String> leases = new HashSet<>();

        for (String key : keys) {
            String lease = LeaseNames.ofKey(key);
            assertThat(lease).as(key).matches(SUBDOMAIN).hasSizeLessThanOrEqualTo(253);
            leases.add(lease);
        }

        assertThat(leases).hasSize(keys.size()).noneMatch(lease -> lease.startsWith("tenure-election-"));
        assertThat(LeaseNames.ofKey("c/billing-sweeper")).startsWith("tenure-c-billing-sweeper-");
        assertThat(LeaseNames.ofKey("s/a")).startsWith(LeaseNames.SESSION);
        assertThat(LeaseNames.ofKey("e")).isEqualTo(LeaseNames.ERA);
    }

    @Test
    void other_names_are_readable_valid_and_apart() {
        List<String> names = List.of("a/b", "a b", "A/B", "a-b/", "../x", "Größe", "東京", "x".repeat(200), "tenure-x");
        Set<String> leases = new HashSet<>();

        for (String name : names) {
            String lease = LeaseNames.of(ElectionName.of(name));
            assertThat(lease).as(name).matches(SUBDOMAIN).hasSizeLessThanOrEqualTo(253);
            leases.add(lease);
        }

        assertThat(leases).hasSize(names.size());
        assertThat(LeaseNames.of(ElectionName.of("billing/sweeper"))).startsWith("tenure-election-billing-sweeper-");
    }
}
