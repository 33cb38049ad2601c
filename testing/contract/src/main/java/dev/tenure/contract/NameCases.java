// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.RawSession.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Observation;
import dev.tenure.spi.ReleaseReply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Elections whose names look alike, nest, or try to get out of their place are elections apart. */
interface NameCases extends BackendCases {
    private static List<ElectionName> hostileNames() {
        List<String> names = new ArrayList<>(List.of("a", "a/", "a/b", "a/b/c", "/a", "//a", "A", "a b", " a", "aa"));
        names.addAll(List.of(".", "..", "../a", "a/..", "a/../b", ".a", "a.", "c/a", "s/a", "o/a", "e", "s", "c"));
        names.addAll(List.of("%", "%2f", "%2F", "a%2fb", "a%252fb", "%00", "*", "a*", "a?", "a_", "a-", "a_b", "axb"));
        names.addAll(List.of(
                "'", "';--", "\"", "\\", "$HOME", "${x}", "{a}", "a:b", "a;b", "a,b", "a=b", "a&b", "n1", "n10"));
        names.addAll(List.of("\u00e9", "E\u0301", "e", "\u202eabc", "abc", "\u05e9\u05dc\u05d5\u05dd", "\u6771\u4eac"));
        names.addAll(List.of("\ud83d\ude80", "\u200b", "\ufb01", "fi", "\u0130", "i", "\u00df", "ss", "null", "con"));
        names.add("x".repeat(ElectionName.BYTES_MAX));
        names.add("x".repeat(ElectionName.BYTES_MAX - 1) + "y");
        names.add("\u00e9".repeat(ElectionName.BYTES_MAX / 2));
        return names.stream().map(ElectionName::of).distinct().toList();
    }

    @Test
    default void every_name_is_an_election_of_its_own() {
        RawClient client = fixture().client();
        RawSession session = client.open();
        Map<ElectionName, ClaimReply.Granted> held = new LinkedHashMap<>();

        for (ElectionName name : hostileNames()) {
            held.put(name, session.take(name));
        }

        held.forEach((name, grant) -> assertThat(session.holds(name, grant.nonce()))
                .as(name.encoded())
                .isTrue());
        assertThat(client.list()).extracting(Observation::election).containsExactlyInAnyOrderElementsOf(held.keySet());
    }

    @Test
    default void a_release_of_one_name_leaves_all_others_held() {
        RawSession session = fixture().client().open();
        Map<ElectionName, ClaimReply.Granted> held = new LinkedHashMap<>();
        for (ElectionName name : hostileNames()) {
            held.put(name, session.take(name));
        }

        for (String released : List.of("a", "a/b", ".", "%2f", "n1", "\u00e9")) {
            ElectionName name = ElectionName.of(released);
            ClaimReply.Granted grant = Optional.ofNullable(held.remove(name)).orElseThrow();
            assertThat(session.release(name, grant.nonce())).isEqualTo(ReleaseReply.RELEASED);
        }

        held.forEach((name, grant) -> assertThat(session.holds(name, grant.nonce()))
                .as(name.encoded())
                .isTrue());
    }

    @Test
    default void two_spellings_of_one_name_are_one_election() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        ElectionName composed = ElectionName.of("caf\u00e9");
        ElectionName decomposed = ElectionName.of("cafe\u0301");

        holder.take(composed);

        waiting(rival.claim(decomposed, rival.nonce()));
    }
}
