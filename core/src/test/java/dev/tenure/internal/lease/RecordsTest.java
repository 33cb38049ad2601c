// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.RecordCodec;
import dev.tenure.spi.support.RequestRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The records as text: whatever is written reads back, and whatever was not written by us is refused. */
class RecordsTest {
    private static final List<String> HOSTILE = List.of(
            "",
            " ",
            "=",
            "\n",
            "\r\n",
            "a\nstate=HELD",
            "x\ntoken=9223372036854775807\n",
            "%0Astate=VACANT",
            "%",
            "+",
            "a+b c",
            "tenure claim 1\n",
            "\u0000",
            "\u2028\u2029",
            "\ud83d\ude00",
            "é\u0301",
            "\"'`$(reboot)",
            "x".repeat(2000));

    private static final ElectionName ELECTION = ElectionName.of("billing/sweeper");

    private static Versioned stored(String key, String text) {
        return new Versioned(key, Optional.of("v1"), text, Optional.empty(), 0);
    }

    private static ClaimRecord claim(String session, String holder, LeaderMetadata metadata) {
        Instant since = Instant.ofEpochMilli(1_750_000_000_123L);
        ClaimRecord.Holder by = new ClaimRecord.Holder(session, holder, Duration.ofSeconds(10), since, metadata);
        return new ClaimRecord(ELECTION, 42, new Nonce(1, 2), ClaimRecord.State.HELD, by);
    }

    private static final String CLAIM_KEY = ClaimRecord.key(ELECTION);
    private static final String CLAIM =
            claim("s1", "node", LeaderMetadata.EMPTY.with("k", "v")).text();
    private static final SessionRecord SESSION =
            new SessionRecord("s1", "node", Duration.ofSeconds(10), 7, SessionRecord.State.OPEN, "0a0b0c0d");
    private static final OperatorRequest REQUEST =
            new OperatorRequest(ELECTION, OperatorRequest.Verb.RESIGN, new FencingToken(42), "ops");

    @Test
    void a_claim_reads_back_with_every_hostile_value() {
        for (String hostile : HOSTILE) {
            LeaderMetadata metadata = new LeaderMetadata(Map.of(hostile, hostile, "k" + hostile, "v"));
            ClaimRecord claim = claim(hostile, hostile, metadata);

            assertThat(Adapter.claim(stored(CLAIM_KEY, claim.text()))).isEqualTo(claim);
            assertThat(Adapter.claim(stored(CLAIM_KEY, claim.vacant().text()))).isEqualTo(claim.vacant());
        }
    }

    @Test
    void a_session_reads_back_with_every_hostile_node() {
        for (String hostile : HOSTILE) {
            for (SessionRecord.State state : SessionRecord.State.values()) {
                SessionRecord session =
                        new SessionRecord("s1", hostile, Duration.ofMillis(1), Long.MAX_VALUE, state, hostile);

                assertThat(SessionRecord.of(stored("s/s1", session.text()))).isEqualTo(session);
            }
        }
    }

    @Test
    void a_session_says_in_which_elections_it_stands_unless_these_are_many() {
        ElectionName other = ElectionName.of("other");
        List<ElectionName> many =
                IntStream.range(0, 17).mapToObj(i -> ElectionName.of("e" + i)).toList();

        assertThat(SESSION.next(List.of(ELECTION)).mayStandIn(ELECTION)).isTrue();
        assertThat(SESSION.next(List.of(ELECTION)).mayStandIn(other)).isFalse();
        assertThat(SESSION.next(List.of(other, ELECTION)).mayStandIn(ELECTION)).isTrue();
        assertThat(SESSION.next(many.subList(0, 16)).mayStandIn(other)).isFalse();
        assertThat(SESSION.next(many).mayStandIn(other)).isTrue();
    }

    @Test
    void a_request_and_an_era_read_back() {
        for (String hostile : HOSTILE) {
            OperatorRequest request =
                    new OperatorRequest(ELECTION, OperatorRequest.Verb.RESIGN, new FencingToken(42), hostile);
            StoreEra era = new StoreEra(hostile, FencingToken.ERA_MAX);

            assertThat(RequestRecord.of(stored(RequestRecord.key(ELECTION), RequestRecord.text(request))))
                    .isEqualTo(request);
            assertThat(EraRecord.of(stored("e", EraRecord.text(era)))).isEqualTo(era);
        }
    }

    @Test
    void no_value_can_forge_a_line() {
        for (String hostile : HOSTILE) {
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("a", hostile);
            fields.put(hostile + "b", "1");

            String text = new RecordCodec("head 1").lines().addAll("", fields).text();

            assertThat(text.lines()).hasSize(3);
            assertThat(text.chars()).allMatch(c -> c == '\n' || (c >= 32 && c < 127));
        }
    }

    @Test
    void a_vacant_claim_keeps_its_token_and_drops_its_card() {
        ClaimRecord vacant =
                claim("s1", "node", LeaderMetadata.EMPTY.with("k", "v")).vacant();

        assertThat(vacant.token()).isEqualTo(42);
        assertThat(vacant.by().metadata()).isEqualTo(LeaderMetadata.EMPTY);
        assertThat(vacant.isHeldBy("s1")).isFalse();
    }

    @Test
    void a_largest_card_fits_into_its_record() {
        LeaderMetadata metadata = LeaderMetadata.EMPTY.with("k", "€".repeat((LeaderMetadata.BYTES_MAX - 1) / 3));
        ClaimRecord claim = claim("s1", "é".repeat(100), metadata);

        assertThat(Adapter.claim(stored(CLAIM_KEY, claim.text()))).isEqualTo(claim);
    }

    private static void refused(Function<Versioned, ?> reader, String key, String text) {
        assertThatThrownBy(() -> reader.apply(stored(key, text)))
                .as("%s", text)
                .isInstanceOfSatisfying(BackendException.class, corrupt -> {
                    assertThat(corrupt.kind()).isEqualTo(BackendException.Kind.CORRUPT);
                    assertThat(corrupt.effect()).isEqualTo(BackendException.Effect.NONE);
                    assertThat(corrupt)
                            .hasMessageContaining("record " + key)
                            .hasMessageContaining("Nothing was changed");
                });
    }

    private static void everyReader(Consumer<Damage> test) {
        test.accept(new Damage(Adapter::claim, CLAIM_KEY, CLAIM));
        test.accept(new Damage(SessionRecord::of, "s/s1", SESSION.text()));
        test.accept(new Damage(RequestRecord::of, RequestRecord.key(ELECTION), RequestRecord.text(REQUEST)));
        test.accept(new Damage(EraRecord::of, "e", EraRecord.text(new StoreEra("id", 3))));
    }

    private record Damage(Function<Versioned, ?> reader, String key, String text) {
        void refuse(String damaged) {
            refused(reader, key, damaged);
        }
    }

    @Test
    void every_prefix_of_a_record_that_lost_a_needed_line_is_refused() {
        everyReader(record -> {
            int needed = record.text.contains("card.") ? record.text.indexOf("card.") : record.text.length();
            for (int length = 0; length < needed; length++) {
                record.refuse(record.text.substring(0, length));
            }
        });
    }

    @Test
    void a_record_without_one_of_its_lines_is_refused() {
        everyReader(record -> record.text
                .lines()
                .filter(line -> !line.startsWith("card.") && !line.startsWith("stands="))
                .forEach(line -> record.refuse(record.text.replace(line + "\n", ""))));
    }

    @Test
    void a_session_that_does_not_say_where_it_stands_may_stand_anywhere() {
        String text = SESSION.text().replaceAll("stands=.*\n", "");

        assertThat(SessionRecord.of(stored("s/s1", text)).mayStandIn(ELECTION)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "{}", "hello", "tenure claim 2\n", "tenure claim 11\n", "\u0000\u0000\u0000"})
    void what_is_not_a_record_is_refused(String text) {
        everyReader(record -> record.refuse(text));
    }

    @Test
    void a_record_of_another_kind_or_version_is_refused() {
        everyReader(record -> record.refuse(record.text.replaceFirst(" 1\n", " 2\n")));
        refused(Adapter::claim, CLAIM_KEY, SESSION.text());
        refused(SessionRecord::of, "s/s1", CLAIM);
    }

    @Test
    void a_record_with_broken_encoding_or_a_line_without_a_value_is_refused() {
        everyReader(record -> {
            record.refuse(record.text + "x=%zz\n");
            record.refuse(record.text + "x=%\n");
            record.refuse(record.text + "novalue\n");
            record.refuse(record.text + "=v\n");
        });
    }

    @Test
    void a_record_that_says_something_twice_is_refused() {
        everyReader(record -> {
            String first = record.text.lines().skip(1).findFirst().orElseThrow();
            record.refuse(record.text + first + "\n");
        });
    }

    @Test
    void an_endless_record_is_refused() {
        everyReader(record -> record.refuse(record.text + "x=" + "y".repeat(64 * 1024) + "\n"));
    }

    private static String with(String record, String field, String value) {
        String changed = record.replaceFirst("(?m)^" + field + "=.*$", field + "=" + value);
        assertThat(changed).as("the field %s is there", field).isNotEqualTo(record);
        return changed;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token=0",
                "token=-1",
                "token=9223372036854775808",
                "token=x",
                "token=",
                "token=1e3",
                "nonce=1",
                "nonce=xyz",
                "state=HELDX",
                "state=held",
                "state=",
                "ttlMillis=0",
                "ttlMillis=-5",
                "ttlMillis=86400001",
                "ttlMillis=9223372036854775807",
                "sinceMillis=soon",
                "election=other",
                "election=",
                "election=%00"
            })
    void a_claim_with_an_impossible_value_is_refused(String change) {
        int equals = change.indexOf('=');
        refused(Adapter::claim, CLAIM_KEY, with(CLAIM, change.substring(0, equals), change.substring(equals + 1)));
    }

    @Test
    void a_claim_with_a_card_above_the_cap_is_refused() {
        refused(Adapter::claim, CLAIM_KEY, CLAIM + "card.big=" + "x".repeat(LeaderMetadata.BYTES_MAX) + "\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ttlMillis=0",
                "ttlMillis=-1",
                "ttlMillis=86400001",
                "ttlMillis=99999999999999999999",
                "beat=-1",
                "beat=x",
                "state=CLOSED",
                "state=open",
                "session=s2"
            })
    void a_session_with_an_impossible_value_is_refused(String change) {
        int equals = change.indexOf('=');
        refused(
                SessionRecord::of,
                "s/s1",
                with(SESSION.text(), change.substring(0, equals), change.substring(equals + 1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"verb=DANCE", "token=0", "token=007", "election=other", "election="})
    void a_request_with_an_impossible_value_is_refused(String change) {
        int equals = change.indexOf('=');
        refused(
                RequestRecord::of,
                RequestRecord.key(ELECTION),
                with(RequestRecord.text(REQUEST), change.substring(0, equals), change.substring(equals + 1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "32768", "x", "99999999999"})
    void an_era_out_of_range_is_refused(String era) {
        refused(EraRecord::of, "e", with(EraRecord.text(new StoreEra("id", 3)), "era", era));
    }

    @Test
    void the_longest_lease_that_is_believed_is_a_day() {
        SessionRecord day = SessionRecord.first("s1", "n", Duration.ofHours(24));

        assertThat(SessionRecord.of(stored("s/s1", day.text()))).isEqualTo(day);
    }

    @Test
    void each_beat_is_a_new_text() {
        assertThat(SESSION.next(List.of()).beat()).isEqualTo(8);
        assertThat(SESSION.next(List.of()).text()).isNotEqualTo(SESSION.text());
        assertThat(SESSION.evicted().state()).isEqualTo(SessionRecord.State.EVICTED);
    }
}
