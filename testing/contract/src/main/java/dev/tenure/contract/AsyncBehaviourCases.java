// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.StoreClient.absent;
import static dev.tenure.contract.StoreClient.plain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.FencingToken;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.RenewalReader;
import dev.tenure.spi.RenewalReader.Wanted;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What a store promises beside its records: its traits and its clock, and how its calls and its end behave. */
interface AsyncBehaviourCases extends StoreCases {
    int WRITES = 10;
    Duration CALLS_FOR = Duration.ofMillis(500);
    Duration LIFE = Duration.ofMinutes(1);
    Duration RETURNS_WITHIN = Duration.ofSeconds(3);
    Instant NO_CLOCK_IS_BEHIND = Instant.parse("2020-01-01T00:00:00Z");

    @Test
    default void the_traits_are_whole() {
        BackendTraits traits = namespace().open().traits();

        assertThat(traits.store()).isNotBlank();
        assertThat(traits.ttlMin()).isPositive();
        assertThat(traits.ttlStep()).isPositive();
        assertThat(traits.ttlMax()).isGreaterThanOrEqualTo(traits.ttlMin());
        assertThat(traits.grade() == dev.tenure.Grade.A || !traits.gradeReason().isBlank())
                .as("a grade below A has a reason")
                .isTrue();
    }

    @Test
    default void only_a_store_that_numbers_its_writes_declares_that_it_issues_tokens() {
        StoreClient client = namespace().open();

        assertThat(client.store() instanceof TokenIssuer)
                .as("it implements TokenIssuer")
                .isEqualTo(client.traits().tokens() == TokenSource.REVISION);
    }

    @Test
    default void a_later_write_has_a_higher_number_whatever_it_writes() {
        StoreClient one = namespace().open();
        StoreClient two = namespace().open();
        TokenIssuer issuer = issuing(one);
        List<Long> numbers = new ArrayList<>();

        for (int i = 0; i < WRITES; i++) {
            StoreClient writer = i % 2 == 0 ? one : two;
            Versioned first = writer.create("c/a", "first");
            Versioned second = StoreClient.applied(writer.write(first, "second"));
            Versioned other = writer.put("s/b", "other");
            numbers.addAll(List.of(issuer.tokenOf(first), issuer.tokenOf(second), issuer.tokenOf(other)));
            StoreClient.applied(one.delete(second));
        }

        assertThat(numbers).isSorted().doesNotHaveDuplicates();
        assertThat(numbers).allSatisfy(number -> assertThat(number).isBetween(1L, FencingToken.SEQUENCE_MAX));
    }

    @Test
    default void a_record_keeps_the_number_of_its_write_whoever_reads_it() {
        StoreClient writer = namespace().open();
        StoreClient reader = namespace().open();
        long number = issuing(writer).tokenOf(writer.create("c/a", "one"));

        writer.create("c/b", "another");

        assertThat(issuing(reader).tokenOf(reader.read("c/a"))).isEqualTo(number);
        assertThat(issuing(reader).tokenOf(reader.list("c/a").get(0))).isEqualTo(number);
        assertThat(issuing(reader).tokenOf(StoreClient.refused(reader.write(absent("c/a"), "two"))))
                .isEqualTo(number);
    }

    @Test
    default void every_answer_tells_a_plausible_clock() {
        StoreClient client = counting();
        long soonest = NO_CLOCK_IS_BEHIND.toEpochMilli();
        long latest = Instant.now().plus(Duration.ofDays(1)).toEpochMilli();

        Versioned before = client.read("c/a");
        Versioned written = client.create("c/a", "one");
        Versioned shown = StoreClient.refused(client.write(absent("c/a"), "two"));
        Versioned read = client.read("c/a");
        Versioned listed = client.list("c/").get(0);

        assertThat(List.of(before, written, shown, read, listed))
                .extracting(Versioned::clockMillis)
                .allSatisfy(clock -> assertThat(clock).isBetween(soonest, latest));
    }

    @Test
    default void the_clock_goes_on() {
        StoreClient client = counting();
        long first = client.read("c/a").clockMillis();

        client.await().until("the store's clock has moved", () -> {
            long now = client.read("c/a").clockMillis();
            assertThat(now).isGreaterThanOrEqualTo(first);
            return now > first;
        });
    }

    @Test
    default void a_call_never_blocks_its_caller() {
        StallingHost host = new StallingHost();
        StoreClient client = namespace().open(host);
        List<Supplier<CompletionStage<?>>> calls = callsOf(client);
        host.stall();

        CompletableFuture<List<CompletionStage<?>>> calling = ConcurrentThreads.start(
                "contract-caller",
                () -> calls.stream().<CompletionStage<?>>map(Supplier::get).toList());
        boolean returned = client.await().within(RETURNS_WITHIN, calling::isDone);
        host.goOn();

        assertThat(returned).as("calls return while the client's I/O is stuck").isTrue();
        client.await().reply(calling).forEach(client.await()::reply);
        assertThat(client.read("s/a").value()).isEqualTo("two");
    }

    /** A client without an answer cannot have asked on this thread; one that has its own threads may answer at once now and then. */
    @Test
    default void a_call_does_not_do_its_work_on_the_callers_thread() {
        StallingHost host = new StallingHost();
        StoreClient client = namespace().open(host);
        List<Supplier<CompletionStage<?>>> calls = callsOf(client);
        host.stall();

        CompletableFuture<List<Boolean>> calling = ConcurrentThreads.start(
                "contract-caller",
                () -> calls.stream()
                        .map(AsyncBehaviourCases::isAlwaysAnsweredAtOnce)
                        .toList());
        client.await().within(RETURNS_WITHIN, calling::isDone);
        host.goOn();

        assertThat(client.await().reply(calling))
                .as("calls that were answered whenever they returned, although the client's I/O was stuck")
                .containsOnly(false);
    }

    /** Ends with the first call that is not answered yet: a fast store may answer many before that. */
    private static boolean isAlwaysAnsweredAtOnce(Supplier<CompletionStage<?>> call) {
        long byNanos = System.nanoTime() + CALLS_FOR.toNanos();
        while (System.nanoTime() - byNanos < 0) {
            if (!call.get().toCompletableFuture().isDone()) {
                return false;
            }
        }
        return true;
    }

    /** One of each kind; a write that is repeated is refused. */
    private static List<Supplier<CompletionStage<?>>> callsOf(StoreClient client) {
        Versioned standing = client.create("s/a", "one");
        Versioned other = client.create("s/b", "one");
        Versioned vacant = client.create("c/a", "vacant");
        LeaseStore store = client.store();
        return List.of(
                () -> store.read("s/a"),
                () -> store.list("s/"),
                () -> store.compareAndSet(plain(standing, "two")),
                () -> store.compareAndSet(new Write(vacant, "mine", Optional.empty(), 1)),
                () -> store.delete(other));
    }

    @Test
    default void watching_never_blocks_its_caller() {
        StallingHost host = new StallingHost();
        StoreClient client = namespace().open(host);
        client.create("c/a", "one");
        host.stall();

        CompletableFuture<Boolean> watching = ConcurrentThreads.start("contract-caller", () -> {
            client.store().watch("c/", key -> {}).close();
            return true;
        });
        boolean returned = client.await().within(RETURNS_WITHIN, watching::isDone);
        host.goOn();

        assertThat(returned)
                .as("watching begins and ends while the client's I/O is stuck")
                .isTrue();
        assertThat(client.await().reply(watching)).isTrue();
    }

    @Test
    default void closing_is_idempotent_and_leaves_records_and_other_clients_alone() {
        StoreClient closing = namespace().open();
        StoreClient staying = namespace().open();
        Versioned record = closing.create("c/a", "one");

        closing.store().close();
        closing.store().close();

        assertThat(staying.read("c/a").version()).isEqualTo(record.version());
        StoreClient.applied(staying.write(record, "two"));
    }

    @Test
    default void a_call_after_close_fails_its_stage_and_changes_nothing() {
        StoreClient client = namespace().open();
        StoreClient witness = namespace().open();
        Versioned record = client.create("c/a", "one");
        LeaseStore store = client.store();

        store.close();

        assertFails(client, "read", () -> store.read("c/a"));
        assertFails(client, "list", () -> store.list("c/"));
        assertFails(client, "compareAndSet", () -> store.compareAndSet(plain(record, "late")));
        assertFails(client, "delete", () -> store.delete(record));
        assertThat(witness.read("c/a").version()).isEqualTo(record.version());
    }

    @Test
    default void a_renewal_reads_along_what_stands_whether_it_is_applied_or_not() {
        StoreClient client = namespace().open();
        assumeTrue(client.store() instanceof RenewalReader, "this store reads nothing along with renewals");
        RenewalReader reader = (RenewalReader) client.store();
        Versioned session = client.create("s/a", "one", LIFE);
        client.create("c/a", "held");
        client.create("c/ab", "held, too");
        client.create("o/a", "resign");
        Write renewal = new Write(session, "two", Optional.of(LIFE), 0);
        Wanted wanted = new Wanted(Set.of("c/a", "c/never"), Set.of("o/"));

        RenewalReader.Answer first = client.await().reply(reader.renew(renewal, wanted));
        RenewalReader.Answer second = client.await().reply(reader.renew(renewal, wanted));

        assertThat(client.read("s/a").version())
                .isEqualTo(StoreClient.applied(first.reply()).version());
        StoreClient.refused(second.reply());
        for (RenewalReader.Answer answer : List.of(first, second)) {
            assertThat(answer.records()).extracting(Versioned::key).containsExactlyInAnyOrder("c/a", "c/never", "o/a");
            assertThat(answer.records()).allSatisfy(record -> {
                assertThat(record.version()).isEqualTo(client.read(record.key()).version());
                assertThat(record.value()).isEqualTo(client.read(record.key()).value());
            });
        }
    }

    private static void assertFails(StoreClient client, String call, Supplier<CompletionStage<?>> calling) {
        CompletionStage<?> stage = calling.get();
        assertThat(client.await().fails(stage)).as(call + " after close fails").isTrue();
    }

    private static TokenIssuer issuing(StoreClient client) {
        assumeTrue(client.store() instanceof TokenIssuer, "this store declares that its tokens are counted");
        return (TokenIssuer) client.store();
    }

    private StoreClient counting() {
        StoreClient client = namespace().open();
        TokenSource tokens = client.traits().tokens();
        assumeTrue(
                tokens == TokenSource.COUNTER, "this store declares that its tokens do not follow a clock: " + tokens);
        return client;
    }
}
