// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.applied;
import static dev.tenure.local.Fixture.await;
import static dev.tenure.local.Fixture.names;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenCeilingTest {
    private static final long TOKEN = 1_800_000_000_123L;

    private Fixture fixture;
    private LocalStore store;

    @BeforeEach
    void open(@TempDir Path directory) {
        fixture = new Fixture(directory);
        store = fixture.open();
        fixture.disk.forced.clear();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void five_thousand_claims_cost_a_handful_of_fsyncs() {
        List<CompletionStage<WriteReply>> claims = new ArrayList<>();

        for (int i = 0; i < 5000; i++) {
            Versioned absent = Versioned.absent("c/election-" + i, 0);
            claims.add(store.compareAndSet(new Write(absent, "claim", Optional.empty(), TOKEN + i)));
        }

        claims.forEach(claim -> applied(await(claim)));
        assertThat(fixture.disk.forced).hasSizeLessThanOrEqualTo(6);
    }

    @Test
    void a_token_is_under_a_durable_ceiling_before_its_claim_is_acknowledged() {
        applied(write(store, read(store, "c/a"), "claim", TOKEN));

        assertThat(fixture.disk.forced)
                .containsExactly(ceiling(TOKEN + 10_000), fixture.layout().ceiling());
        assertThat(names(fixture.layout().ceiling())).containsExactly(TokenCeiling.name(TOKEN + 10_000));
    }

    @Test
    void a_ceiling_that_another_process_has_raised_is_forced_before_it_is_trusted() {
        LocalStore other = fixture.open();
        applied(write(store, read(store, "c/a"), "claim", TOKEN));
        fixture.disk.forced.clear();

        applied(write(other, read(other, "c/b"), "claim", TOKEN + 1));
        applied(write(other, read(other, "c/c"), "claim", TOKEN + 2));

        assertThat(fixture.disk.forced)
                .containsExactly(ceiling(TOKEN + 10_000), fixture.layout().ceiling());
    }

    @Test
    void it_only_rises() {
        for (long token : new long[] {TOKEN, 5, TOKEN + 50_000, TOKEN + 20_000, TOKEN + 60_001}) {
            put(fixture.open(), "c/a", "read");
            applied(write(store, read(store, "c/a"), "claim", token));
        }

        assertThat(names(fixture.layout().ceiling())).containsExactly(TokenCeiling.name(TOKEN + 70_001));
    }

    @Test
    void it_does_not_run_into_the_next_era() {
        long last = FencingToken.of(3, FencingToken.SEQUENCE_MAX - 5).value();

        applied(write(store, read(store, "c/a"), "claim", last));

        assertThat(names(fixture.layout().ceiling()))
                .containsExactly(TokenCeiling.name(
                        FencingToken.of(3, FencingToken.SEQUENCE_MAX).value()));
    }

    @Test
    void writes_that_issue_nothing_do_not_wait_for_the_disk() {
        put(store, "s/a", "beat");
        put(store, "c/a", "released");

        assertThat(fixture.disk.forced).isEmpty();
    }

    @Test
    void the_era_is_forced_to_the_disk_word_for_word() {
        Versioned era = put(store, "e", "era 0");

        assertThat(fixture.disk.forced)
                .containsExactly(
                        fixture.valueOf("e"),
                        fixture.layout().values(),
                        fixture.layout().record(RecordKey.of("e")),
                        fixture.layout().records("e"));
        fixture.disk.forced.clear();
        applied(write(store, era, "era 1"));
        assertThat(fixture.disk.forced)
                .containsExactly(
                        fixture.valueOf("e"),
                        fixture.layout().values(),
                        fixture.layout().record(RecordKey.of("e")));
    }

    @Test
    void if_it_is_gone_the_claim_is_refused_and_the_directory_is_opened_again() throws IOException {
        Versioned absent = read(store, "c/a");
        Files.delete(fixture.layout().ceiling());

        assertThatThrownBy(() -> write(store, absent, "claim", TOKEN))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(BackendException.Effect.NONE));

        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .ignoreExceptions()
                .until(() -> !read(store, "c/a").isPresent());
        assertThat(put(store, "s/a", "beat").value()).isEqualTo("beat");
        assertThat(fixture.layout().ceiling()).exists();
    }

    @Test
    void no_token_is_issued_where_another_machine_uses_the_directory() {
        Versioned absent = read(store, "c/a");
        fixture.clock.bootId = ManualClock.NEXT_BOOT;
        fixture.open();
        fixture.clock.bootId = ManualClock.BOOT;

        assertThatThrownBy(() -> write(store, absent, "claim", TOKEN))
                .isInstanceOfSatisfying(BackendException.class, failure -> {
                    assertThat(failure.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED);
                    assertThat(failure).hasMessageContaining("another machine");
                });
    }

    private Path ceiling(long token) {
        return fixture.layout().ceiling().resolve(TokenCeiling.name(token));
    }
}
