// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.Tenure;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Bodies that run exclusively, with many callers in each process. */
interface ExclusiveCases extends BackendCases {
    int CALLERS_PER_CLIENT = 3;
    int TURNS = 5;

    @Test
    default void callers_of_one_process_take_turns_each_with_a_term_of_its_own() {
        List<Tenure> clients = List.of(fixture().tenure("a"), fixture().tenure("b"));
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<FencingToken> tokens = new CopyOnWriteArrayList<>();
        List<Thread> bodies = new CopyOnWriteArrayList<>();

        List<Thread> callers = ConcurrentThreads.together(
                clients.size() * CALLERS_PER_CLIENT, fixture().await(), member -> {
                    clients.get(member % clients.size())
                            .exclusively(NAME, fixture().await().limit(), leadership -> {
                                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                tokens.add(leadership.token());
                                bodies.add(Thread.currentThread());
                                inside.decrementAndGet();
                            });
                    return Thread.currentThread();
                });

        assertThat(most).as("bodies at a time").hasValue(1);
        assertThat(tokens).hasSize(callers.size()).isSorted().doesNotHaveDuplicates();
        assertThat(bodies).containsExactlyInAnyOrderElementsOf(callers);
    }

    @Test
    default void a_process_whose_callers_never_pause_does_not_keep_the_others_out() {
        List<Tenure> clients = List.of(fixture().tenure("a"), fixture().tenure("b"));
        List<AtomicInteger> turns = List.of(new AtomicInteger(), new AtomicInteger());

        ConcurrentThreads.together(
                clients.size() * CALLERS_PER_CLIENT, fixture().await(), member -> {
                    int client = member % clients.size();
                    while (turns.stream().anyMatch(each -> each.get() < TURNS)) {
                        try {
                            clients.get(client)
                                    .exclusively(
                                            NAME,
                                            fixture().await().limit(),
                                            leadership -> turns.get(client).incrementAndGet());
                        } catch (TimeoutException starved) {
                            throw new AssertionError("turns of each process: " + turns, starved);
                        }
                    }
                    return member;
                });

        assertThat(turns).allSatisfy(each -> assertThat(each).hasValueGreaterThanOrEqualTo(TURNS));
    }
}
