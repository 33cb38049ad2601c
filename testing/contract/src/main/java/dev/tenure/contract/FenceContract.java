// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every fence keeps, whatever it guards: a write is accepted only from the newest term of its election, comparison and
 * effect are one step, and from the moment a raise has returned nothing older gets in. One case per verb and per way of
 * being stale.
 *
 * <pre>{@code
 * class FencedSqlContractTest extends FenceContract {
 *     @Override
 *     protected GuardedResource open(String resource) {
 *         return new GuardedTable(dataSource, resource);
 *     }
 * }
 * }</pre>
 */
public abstract class FenceContract {
    private static final ElectionName ELECTION = ElectionName.of("ledger/close-day");
    private static final int WRITERS = 4;
    private static final int WRITES = 25;
    private static final int RACES = 30;

    private final String resource = TestScale.freshNamespace();
    private final List<GuardedResource> opened = new ArrayList<>();
    private final Await await = Await.forTtl(Duration.ofSeconds(10));
    private final AtomicInteger nonces = new AtomicInteger();

    /**
     * Opens another client of this resource, installed and ready to be written to. The first one finds a fence that has
     * never seen a token; all clients of one resource share what it has seen.
     *
     * @param resource lower-case letters, digits and dashes, at most 32 of them; new for every test
     */
    protected abstract GuardedResource open(String resource) throws Exception;

    @AfterEach
    final void closeEveryClient() throws Exception {
        for (GuardedResource client : opened) {
            client.close();
        }
    }

    private GuardedResource client() {
        try {
            GuardedResource client = open(resource);
            opened.add(client);
            return client;
        } catch (Exception failure) {
            throw new AssertionError("the resource under test cannot be opened: " + failure, failure);
        }
    }

    private Term term(long token) {
        return new Term(ELECTION, new FencingToken(token), new Nonce(1, nonces.incrementAndGet()), "holder");
    }

    @Test
    void a_write_is_accepted_after_its_term_was_raised() throws Exception {
        GuardedResource ledger = client();
        Term term = term(5);

        ledger.fence().raise(term);
        ledger.write(term, "one");
        ledger.write(term, "two");

        assertThat(ledger.accepted()).containsExactly("one", "two");
    }

    @Test
    void an_older_write_is_refused_after_a_raise_and_leaves_no_trace() throws Exception {
        GuardedResource ledger = client();
        Term old = term(5);
        Term now = term(6);
        ledger.write(old, "in time");

        ledger.fence().raise(now);

        assertStale(() -> ledger.write(old, "late"), old, now);
        assertThat(ledger.accepted()).containsExactly("in time");
    }

    @Test
    void an_older_write_is_refused_after_a_newer_write_which_raises_the_fence_by_itself() throws Exception {
        GuardedResource ledger = client();
        Term old = term(5);
        Term now = term(6);
        ledger.fence().raise(old);

        ledger.write(now, "new");

        assertStale(() -> ledger.write(old, "late"), old, now);
        assertStale(() -> ledger.fence().raise(old), old, now);
        assertThat(ledger.accepted()).containsExactly("new");
    }

    @Test
    void a_first_write_needs_no_raise() throws Exception {
        GuardedResource ledger = client();
        Term term = term(5);

        ledger.write(term, "first");

        assertStale(() -> ledger.write(term(4), "late"), 4, term);
        assertThat(ledger.accepted()).containsExactly("first");
    }

    @Test
    void a_raise_to_an_older_term_is_refused_and_changes_nothing() throws Exception {
        GuardedResource ledger = client();
        Term old = term(5);
        Term now = term(6);
        ledger.fence().raise(now);

        assertStale(() -> ledger.fence().raise(old), old, now);

        ledger.write(now, "still mine");
        assertStale(() -> ledger.write(old, "late"), old, now);
        assertThat(ledger.accepted()).containsExactly("still mine");
    }

    @Test
    void the_same_token_from_another_holder_is_refused_as_a_collision() throws Exception {
        GuardedResource ledger = client();
        Term first = term(5);
        Term twin = term(5);
        ledger.fence().raise(first);

        assertCollision(() -> ledger.fence().raise(twin), twin);
        assertCollision(() -> ledger.write(twin, "twin"), twin);

        ledger.write(first, "first");
        assertThat(ledger.accepted()).containsExactly("first");
    }

    @Test
    void a_nonce_is_compared_whole() throws Exception {
        GuardedResource ledger = client();
        Term first = new Term(ELECTION, new FencingToken(5), new Nonce(1, 2), "holder");
        ledger.fence().raise(first);

        for (Nonce other : List.of(new Nonce(1, 3), new Nonce(2, 2), new Nonce(1, -2), new Nonce(-1, 2))) {
            Term twin = new Term(ELECTION, first.token(), other, "holder");
            assertCollision(() -> ledger.write(twin, "twin"), twin);
        }
    }

    @Test
    void the_holders_name_does_not_matter() throws Exception {
        GuardedResource ledger = client();
        Term term = term(5);
        ledger.fence().raise(term);

        ledger.write(new Term(ELECTION, term.token(), term.nonce(), "another name"), "same term");

        assertThat(ledger.accepted()).containsExactly("same term");
    }

    @Test
    void a_raise_can_be_repeated() throws Exception {
        GuardedResource ledger = client();
        Term term = term(5);
        ledger.fence().raise(term);
        ledger.write(term, "one");

        ledger.fence().raise(term);
        client().fence().raise(term);
        ledger.write(term, "two");

        assertThat(ledger.accepted()).containsExactly("one", "two");
    }

    @Test
    void a_term_of_another_election_is_refused_by_its_name() throws Exception {
        GuardedResource ledger = client();
        Term mine = term(5);
        ledger.fence().raise(mine);
        ElectionName other = ElectionName.of("ledger/close-month");
        Term foreign = new Term(other, new FencingToken(1000), new Nonce(7, 7), "stranger");

        Throwable onRaise = catchThrowable(() -> ledger.fence().raise(foreign));
        Throwable onWrite = catchThrowable(() -> ledger.write(foreign, "foreign"));

        assertThat(onRaise).hasMessageContaining(other.value());
        assertThat(onWrite).hasMessageContaining(other.value());
        ledger.write(mine, "mine");
        assertThat(ledger.accepted()).containsExactly("mine");
    }

    @Test
    void tokens_compare_as_numbers_over_their_whole_range() throws Exception {
        List<Long> ascending = List.of(
                1L,
                9L,
                10L,
                99L,
                100L,
                (1L << 31) - 1,
                1L << 31,
                (1L << 32) + 1,
                (1L << 48) + 5,
                1L << 53,
                (1L << 53) + 1,
                (1L << 53) + 2,
                Long.MAX_VALUE - 1,
                Long.MAX_VALUE);
        GuardedResource ledger = client();
        List<String> written = new ArrayList<>();
        Term before = term(ascending.get(0));
        ledger.fence().raise(before);

        for (long token : ascending.subList(1, ascending.size())) {
            Term now = term(token);
            Term old = before;
            ledger.fence().raise(now);
            assertStale(() -> ledger.write(old, "late"), old, now);
            assertStale(() -> ledger.fence().raise(old), old, now);
            ledger.write(now, "value of " + token);
            written.add("value of " + token);
            before = now;
        }

        assertThat(ledger.accepted()).isEqualTo(written);
    }

    @Test
    void what_one_client_raised_holds_for_all() throws Exception {
        GuardedResource old = client();
        GuardedResource now = client();
        Term first = term(5);
        Term second = term(6);
        old.fence().raise(first);
        old.write(first, "first");

        now.fence().raise(second);

        assertStale(() -> old.write(first, "late"), first, second);
        assertStale(() -> client().write(first, "late, from a new client"), first, second);
        assertThat(now.accepted()).containsExactly("first");
    }

    @Test
    void writers_of_one_term_do_not_hinder_each_other() throws Exception {
        Term term = term(5);
        List<GuardedResource> clients = clients(WRITERS);
        clients.get(0).fence().raise(term);

        ConcurrentThreads.together(WRITERS, await, member -> {
            for (int i = 0; i < WRITES; i++) {
                clients.get(member).write(term, member + "/" + i);
            }
            return member;
        });

        assertThat(clients.get(0).accepted()).hasSize(WRITERS * WRITES).doesNotHaveDuplicates();
    }

    @Test
    void nothing_older_is_accepted_once_a_raise_has_returned() throws Exception {
        GuardedResource writer = client();
        GuardedResource raiser = client();

        for (int race = 1; race <= RACES; race++) {
            Term old = term(2L * race);
            Term now = term(2L * race + 1);
            CountDownLatch writing = new CountDownLatch(1);
            CompletableFuture<Integer> accepted =
                    ConcurrentThreads.start("contract-writer", () -> writeUntilRefused(writer, old, writing));
            writing.await();

            raiser.fence().raise(now);
            List<String> sealed = raiser.accepted();

            int count = await.reply(accepted);
            assertThat(raiser.accepted()).as("race " + race).isEqualTo(sealed);
            assertThat(sealed)
                    .filteredOn(value -> value.startsWith(old.token() + "/"))
                    .hasSize(count);
        }
    }

    private static int writeUntilRefused(GuardedResource writer, Term term, CountDownLatch writing) throws Exception {
        int accepted = 0;
        try {
            while (true) {
                writer.write(term, term.token() + "/" + accepted);
                accepted++;
                writing.countDown();
            }
        } catch (StaleTokenException refused) {
            return accepted;
        } finally {
            writing.countDown(); // also if it failed: nobody may wait for it then
        }
    }

    @Test
    void of_many_terms_that_write_at_once_accepted_tokens_never_go_back() throws Exception {
        List<GuardedResource> clients = clients(WRITERS);
        AtomicInteger tokens = new AtomicInteger();

        ConcurrentThreads.together(WRITERS, await, member -> {
            for (int i = 0; i < WRITES; i++) {
                Term term = term(tokens.incrementAndGet());
                try {
                    clients.get(member).fence().raise(term);
                    clients.get(member).write(term, term.token().toString());
                } catch (StaleTokenException overtaken) {
                    assertThat(overtaken.seen()).isGreaterThan(term.token());
                }
            }
            return member;
        });

        List<Integer> accepted =
                clients.get(0).accepted().stream().map(Integer::valueOf).toList();
        assertThat(accepted).isNotEmpty().isSorted().doesNotHaveDuplicates();
        assertThatCode(() -> clients.get(0).fence().raise(term(tokens.get() + 1L)))
                .doesNotThrowAnyException();
    }

    private List<GuardedResource> clients(int count) {
        List<GuardedResource> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(client());
        }
        return clients;
    }

    private static void assertStale(ThrowingCallable call, Term refused, Term seen) {
        assertThatThrownBy(call).isInstanceOfSatisfying(StaleTokenException.class, stale -> {
            assertThat(stale.refused()).isEqualTo(refused);
            assertThat(stale.seen()).isEqualTo(seen.token());
            assertThat(stale.isCollision()).isFalse();
        });
    }

    private static void assertStale(ThrowingCallable call, long refused, Term seen) {
        assertThatThrownBy(call).isInstanceOfSatisfying(StaleTokenException.class, stale -> {
            assertThat(stale.refused().token().value()).isEqualTo(refused);
            assertThat(stale.seen()).isEqualTo(seen.token());
        });
    }

    private static void assertCollision(ThrowingCallable call, Term refused) {
        assertThatThrownBy(call).isInstanceOfSatisfying(StaleTokenException.class, stale -> {
            assertThat(stale.refused()).isEqualTo(refused);
            assertThat(stale.isCollision()).isTrue();
        });
    }
}
