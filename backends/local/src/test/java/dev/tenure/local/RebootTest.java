// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.applied;
import static dev.tenure.local.Fixture.await;
import static dev.tenure.local.Fixture.names;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.refused;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.FencingToken;
import dev.tenure.local.LocalStore.MachineEnvironment;
import dev.tenure.local.RecordFile.Version;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Versioned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RebootTest {
    private static final long TOKEN = 1_800_000_000_500L;

    private Fixture fixture;
    private LocalStore store;

    @BeforeEach
    void open(@TempDir Path directory) {
        fixture = new Fixture(directory);
        store = fixture.open();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void what_the_power_loss_spared_is_still_there() {
        Versioned claim = put(store, "c/a", "claim");
        put(store, "e", "era 3");

        LocalStore rebooted = reboot();

        assertThat(read(rebooted, "c/a").value()).isEqualTo("claim");
        assertThat(read(rebooted, "c/a").version()).isEqualTo(claim.version());
        assertThat(read(rebooted, "e").value()).isEqualTo("era 3");
        assertThat(applied(write(rebooted, claim, "next")).value()).isEqualTo("next");
        assertThat(names(fixture.layout().torn())).isEmpty();
    }

    @Test
    void a_torn_claim_is_put_aside_and_tokens_go_on_above_it() throws IOException {
        applied(write(store, read(store, "c/a"), "token " + TOKEN, TOKEN));
        Path value = fixture.valueOf("c/a");
        Files.write(value, new byte[(int) Files.size(value)]);
        fixture.host.wallMillis = 1000;

        Versioned after = read(reboot(), "c/a");

        assertThat(after.isPresent()).isFalse();
        assertThat(after.clockMillis()).isGreaterThan(TOKEN);
        assertThat(names(fixture.layout().torn()))
                .containsExactly(value.getFileName().toString());
        assertThat(names(fixture.layout().values())).isEmpty();
    }

    @Test
    void a_claim_that_went_back_to_an_older_version_gets_a_token_above_the_lost_one() {
        applied(write(store, read(store, "c/a"), "token 7", 7));
        fixture.host.wallMillis = 1000;
        applied(write(store, read(store, "c/b"), "the lost one", TOKEN));

        assertThat(read(reboot(), "c/a").clockMillis()).isEqualTo(TOKEN + 10_001);
    }

    @Test
    void the_clock_goes_on_with_the_wall_once_that_is_ahead() {
        applied(write(store, read(store, "c/a"), "claim", TOKEN));
        LocalStore rebooted = reboot();

        fixture.host.wallMillis = TOKEN + 3_600_000;

        assertThat(read(rebooted, "c/a").clockMillis()).isEqualTo(TOKEN + 3_600_000);
    }

    @Test
    void claims_within_one_boot_do_not_push_the_clock_ahead() {
        for (int i = 0; i < 50; i++) {
            fixture.host.wallMillis += 60_000;
            applied(write(fixture.open(), read(store, "c/a"), "claim", fixture.host.wallMillis));
        }

        assertThat(read(fixture.open(), "c/a").clockMillis()).isEqualTo(fixture.host.wallMillis);
    }

    @Test
    void of_a_token_with_an_era_the_sequence_sets_the_clock() {
        applied(write(
                store, read(store, "c/a"), "claim", FencingToken.of(5, TOKEN).value()));
        fixture.host.wallMillis = 1000;

        assertThat(read(reboot(), "c/a").clockMillis()).isEqualTo(TOKEN + 10_001);
    }

    @Test
    void a_value_that_never_reached_the_disk_makes_its_claim_absent() throws IOException {
        put(store, "c/a", "claim");
        Files.delete(fixture.valueOf("c/a"));

        LocalStore rebooted = reboot();

        assertThat(read(rebooted, "c/a").isPresent()).isFalse();
        assertThat(put(rebooted, "c/a", "next").value()).isEqualTo("next");
    }

    @Test
    void of_two_pointers_that_a_power_loss_left_the_higher_whole_one_counts() throws IOException {
        Versioned older = put(store, "c/a", "older");
        RecordKey slot = RecordKey.of("c/a");
        byte[] olderValue = Files.readAllBytes(fixture.valueOf("c/a"));
        Version oldVersion = Version.parse(older.version().orElseThrow());
        Versioned newer = applied(write(store, older, "newer"));
        Files.createFile(fixture.layout().pointer(slot, oldVersion));
        Files.write(fixture.layout().value(slot, oldVersion), olderValue);

        LocalStore rebooted = reboot();

        assertThat(read(rebooted, "c/a").version()).isEqualTo(newer.version());
        assertThat(names(fixture.layout().record(slot))).hasSize(1);
        assertThat(refused(write(rebooted, older, "zombie")).version()).isEqualTo(newer.version());
    }

    @Test
    void a_torn_higher_version_gives_way_to_the_whole_lower_one() throws IOException {
        Versioned older = put(store, "c/a", "older");
        RecordKey slot = RecordKey.of("c/a");
        Version torn = Version.parse(older.version().orElseThrow()).next("11111111", 99);
        Files.createFile(fixture.layout().pointer(slot, torn));
        Files.write(fixture.layout().value(slot, torn), new byte[0]);

        assertThat(read(reboot(), "c/a")).isEqualTo(older);
    }

    @Test
    void leftovers_of_dead_writers_are_removed_and_those_of_this_boot_kept() throws IOException {
        Versioned claim = put(store, "c/a", "claim");
        RecordKey slot = RecordKey.of("c/a");
        Version version = Version.parse(claim.version().orElseThrow());
        List<Path> dead = List.of(
                fixture.layout().value(slot, version.next("11111111", 5)),
                fixture.layout().newRecord(RecordKey.of("c/b"), Version.first("11111111", 6)));
        Path living = fixture.layout().value(slot, version.next("22222222", 7));
        Path unknown = fixture.layout().value(slot, version.next("00000000", 8));
        Files.writeString(dead.get(0), "half a rec");
        Files.createDirectory(dead.get(1));
        Files.createFile(dead.get(1).resolve(Version.first("11111111", 6).fileName()));
        Files.writeString(living, "half a rec");
        Files.writeString(unknown, "half a rec");

        LocalStore rebooted = reboot();

        assertThat(dead).noneMatch(Files::exists);
        assertThat(living).exists();
        assertThat(unknown).exists();
        assertThat(read(rebooted, "c/a").value()).isEqualTo("claim");
    }

    @Test
    void a_torn_era_is_not_forgotten_but_refused() throws IOException {
        put(store, "e", "era 3");
        Files.write(fixture.valueOf("e"), new byte[10]);

        assertThatThrownBy(this::reboot)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(BackendException.Kind.CORRUPT));
        assertThat(fixture.valueOf("e")).exists();
    }

    @Test
    void within_a_boot_a_damaged_record_is_refused_and_left_alone() throws IOException {
        put(store, "c/a", "claim");
        Path value = fixture.valueOf("c/a");
        byte[] half = Arrays.copyOf(Files.readAllBytes(value), 40);
        Files.write(value, half);

        LocalStore again = fixture.open();

        assertThatThrownBy(() -> read(again, "c/a")).isInstanceOf(BackendException.class);
        assertThat(value).hasBinaryContent(half);
    }

    @Test
    void recovery_is_done_once_per_boot() throws IOException {
        put(store, "c/a", "claim");
        reboot();
        Files.write(fixture.valueOf("c/a"), new byte[10]);

        fixture.open();

        assertThat(names(fixture.layout().torn())).isEmpty();
        assertThat(names(fixture.layout().boot())).singleElement().asString().startsWith(ManualClock.NEXT_BOOT);
    }

    @Test
    void many_processes_may_recover_at_once_while_others_write() throws Exception {
        for (int i = 0; i < 60; i++) {
            put(store, "c/election-" + i, "claim");
            if (i % 3 == 0) {
                Files.write(fixture.valueOf("c/election-" + i), new byte[i]);
            }
        }
        fixture.clock.bootId = ManualClock.NEXT_BOOT;
        ExecutorService threads = Executors.newFixedThreadPool(6);
        List<CompletableFuture<Void>> processes = new ArrayList<>();
        for (int p = 0; p < 6; p++) {
            int process = p;
            processes.add(CompletableFuture.runAsync(
                    () -> {
                        LocalStore mine = LocalStore.open(
                                fixture.directory,
                                false,
                                fixture.host,
                                new MachineEnvironment(fixture.clock, fixture.disk));
                        for (int i = process * 10; i < process * 10 + 10; i++) {
                            put(mine, "c/election-" + i, "new claim");
                        }
                    },
                    threads));
        }
        processes.forEach(Fixture::await);
        threads.shutdown();

        LocalStore after = fixture.open();
        assertThat(await(after.list("c/")))
                .hasSize(60)
                .allMatch(claim -> claim.value().equals("new claim"));
        assertThat(names(fixture.layout().values())).hasSize(60);
    }

    @Test
    void without_a_boot_id_every_start_goes_on_above_the_ceiling() {
        LocalStore elsewhere = fixture.open(MachineClock.none());
        applied(write(elsewhere, read(elsewhere, "c/a"), "claim", TOKEN));
        fixture.host.wallMillis = 1000;

        assertThat(read(fixture.open(MachineClock.none()), "c/a").clockMillis()).isEqualTo(TOKEN + 10_001);
    }

    private LocalStore reboot() {
        fixture.clock.bootId = ManualClock.NEXT_BOOT;
        fixture.clock.uptimeMillis = 3_000;
        return fixture.open();
    }
}
