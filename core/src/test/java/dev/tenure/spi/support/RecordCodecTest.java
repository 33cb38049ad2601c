// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.OperatorRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records as text. Hostile values, and what becomes of every kind of damage, stand in {@code RecordsTest} of the lease adapter. */
class RecordCodecTest {
    private static final RecordCodec CODEC = new RecordCodec("tenure thing 1");

    @Test
    void the_text_is_the_same_in_every_version() {
        String text = CODEC.lines()
                .add("name", "a b\n%é")
                .add("count", 7)
                .addAll("card.", Map.of("k=", "v"))
                .text();

        assertThat(text).isEqualTo("tenure thing 1\nname=a+b%0A%25%C3%A9\ncount=7\ncard.k%3D=v\n");
    }

    @Test
    void fields_are_read_as_what_they_are() {
        String text = CODEC.lines()
                .add("ttl", 1500)
                .add("since", -1)
                .add("unit", Thread.State.NEW)
                .text();

        assertThat(CODEC.find(text, fields -> fields.ttlMillis("ttl"))).contains(Duration.ofMillis(1500));
        assertThat(CODEC.find(text, fields -> fields.epochMillis("since"))).contains(Instant.ofEpochMilli(-1));
        assertThat(CODEC.find(text, fields -> fields.oneOf("unit", Thread.State.class)))
                .contains(Thread.State.NEW);
        assertThat(CODEC.find(text, fields -> fields.has("ttl") && !fields.has("other")))
                .contains(true);
        assertThat(CODEC.find(text, fields -> fields.under("si"))).contains(Map.of("nce", "-1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "whatever a peer writes",
                "tenure thing 1",
                "tenure thing 2\na=1\n",
                "tenure thing 11\na=1\n",
                "tenure thing 1\na=1",
                "tenure thing 1\na\n",
                "tenure thing 1\n=1\n",
                "tenure thing 1\nb\na=1\n",
                "tenure thing 1\na=1\na=1\n",
                "tenure thing 1\n\na=1\n",
                "tenure thing 1\na=%zz\n",
                "tenure thing 1\na=x\n",
                "tenure thing 1\na=9223372036854775808\n",
                "tenure thing 1\na=10\n",
                "tenure thing 1\nb=1\n"
            })
    void what_is_no_such_record_is_none_or_refused(String text) {
        assertThat(CODEC.find(text, fields -> fields.number("a", 0, 9))).isEmpty();
        assertThatThrownBy(() -> CODEC.read("key x/a", text, fields -> fields.number("a", 0, 9)))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        corrupt -> assertThat(corrupt.kind()).isEqualTo(BackendException.Kind.CORRUPT))
                .hasMessageStartingWith("key x/a was not written by this version of Tenure: ");
    }

    @Test
    void an_endless_text_is_none() {
        String text = CODEC.lines().add("a", "x".repeat(64 * 1024)).text();

        assertThat(CODEC.find(text, fields -> fields.text("a"))).isEmpty();
    }

    @Test
    void a_request_is_found_or_it_is_none() {
        OperatorRequest request =
                new OperatorRequest(ElectionName.of("a/b"), OperatorRequest.Verb.RESIGN, new FencingToken(42), "ops");

        assertThat(RequestRecord.text(request))
                .isEqualTo("tenure request 1\nelection=a%2Fb\nverb=RESIGN\ntoken=42\nby=ops\n");
        assertThat(RequestRecord.find(RequestRecord.text(request))).contains(request);
        assertThat(RequestRecord.find(RequestRecord.text(request).replace("RESIGN", "DANCE")))
                .isEmpty();
    }
}
