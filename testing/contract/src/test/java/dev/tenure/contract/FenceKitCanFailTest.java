// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Fence;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult.Status;

/** Fences that are broken on purpose, each in a way that real ones have been. */
class FenceKitCanFailTest {
    /** A right fence; what a broken one gets wrong is overridden. */
    static class Ledger implements GuardedResource {
        private final List<String> accepted = new CopyOnWriteArrayList<>();
        volatile Term newest;

        boolean admits(Term term, Term seen) {
            boolean same = term.token().equals(seen.token()) && term.nonce().equals(seen.nonce());
            return same || term.token().isNewerThan(seen.token());
        }

        void bind(Term term, Term seen) {
            if (!term.election().equals(seen.election())) {
                throw new IllegalArgumentException(term.election() + " is not " + seen.election());
            }
        }

        void check(Term term) throws StaleTokenException {
            Term seen = newest;
            if (seen != null) {
                bind(term, seen);
                if (!admits(term, seen)) {
                    throw new StaleTokenException("ledger", term, seen.token());
                }
            }
        }

        void raise(Term term) throws StaleTokenException {
            synchronized (this) {
                check(term);
                newest = term;
            }
        }

        void accept(String value) {
            accepted.add(value);
        }

        @Override
        public Fence fence() {
            return this::raise;
        }

        @Override
        public void write(Term term, String value) throws Exception {
            synchronized (this) {
                check(term);
                newest = term;
                accept(value);
            }
        }

        @Override
        public List<String> accepted() {
            return List.copyOf(accepted);
        }
    }

    abstract static class Suite extends FenceContract {
        private final Map<String, Ledger> ledgers = new HashMap<>();

        abstract Ledger fresh();

        @Override
        protected GuardedResource open(String resource) {
            return ledgers.computeIfAbsent(resource, any -> fresh());
        }
    }

    @Test
    void a_right_fence_passes() {
        Map<String, Status> verdicts = Verdicts.of(
                Right.class,
                List.of(
                        "a_write_is_accepted_after_its_term_was_raised",
                        "nothing_older_is_accepted_once_a_raise_has_returned",
                        "tokens_compare_as_numbers_over_their_whole_range"));

        assertThat(verdicts.values()).hasSize(3).containsOnly(Status.SUCCESSFUL);
    }

    static class Right extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger();
        }
    }

    @Test
    void a_fence_that_ignores_the_nonce_is_found() {
        Verdicts.assertFound(IgnoresNonce.class, "the_same_token_from_another_holder_is_refused_as_a_collision");
    }

    static class IgnoresNonce extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger() {
                @Override
                boolean admits(Term term, Term seen) {
                    return !seen.token().isNewerThan(term.token());
                }
            };
        }
    }

    @Test
    void a_fence_that_compares_half_of_the_nonce_is_found() {
        Verdicts.assertFound(ComparesHalf.class, "a_nonce_is_compared_whole");
    }

    static class ComparesHalf extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger() {
                @Override
                boolean admits(Term term, Term seen) {
                    boolean same = term.token().equals(seen.token())
                            && term.nonce().low() == seen.nonce().low();
                    return same || term.token().isNewerThan(seen.token());
                }
            };
        }
    }

    @Test
    void a_fence_that_refuses_its_own_term_the_second_time_is_found() {
        Verdicts.assertFound(
                RefusesItself.class,
                "a_raise_can_be_repeated",
                "a_write_is_accepted_after_its_term_was_raised",
                "writers_of_one_term_do_not_hinder_each_other");
    }

    static class RefusesItself extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger() {
                @Override
                boolean admits(Term term, Term seen) {
                    return term.token().isNewerThan(seen.token());
                }
            };
        }
    }

    @Test
    void a_fence_that_compares_doubles_is_found() {
        Verdicts.assertFound(ComparesDoubles.class, "tokens_compare_as_numbers_over_their_whole_range");
    }

    static class ComparesDoubles extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger() {
                @Override
                boolean admits(Term term, Term seen) {
                    return (double) term.token().value()
                            >= (double) seen.token().value();
                }
            };
        }
    }

    @Test
    void a_fence_that_compares_text_is_found() {
        Verdicts.assertFound(ComparesText.class, "tokens_compare_as_numbers_over_their_whole_range");
    }

    static class ComparesText extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger() {
                @Override
                boolean admits(Term term, Term seen) {
                    return term.token().toString().compareTo(seen.token().toString()) >= 0;
                }
            };
        }
    }

    @Test
    void a_fence_that_is_not_bound_to_its_election_is_found() {
        Verdicts.assertFound(Unbound.class, "a_term_of_another_election_is_refused_by_its_name");
    }

    static class Unbound extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger() {
                @Override
                void bind(Term term, Term seen) {}
            };
        }
    }

    @Test
    void a_fence_that_a_write_does_not_raise_is_found() {
        Verdicts.assertFound(
                WriteDoesNotRaise.class,
                "an_older_write_is_refused_after_a_newer_write_which_raises_the_fence_by_itself",
                "a_first_write_needs_no_raise");
    }

    static class WriteDoesNotRaise extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger() {
                @Override
                public synchronized void write(Term term, String value) throws Exception {
                    check(term);
                    accept(value);
                }
            };
        }
    }

    @Test
    void a_fence_that_checks_before_it_acts_is_found() {
        Verdicts.assertFound(ChecksThenActs.class, "nothing_older_is_accepted_once_a_raise_has_returned");
    }

    static class ChecksThenActs extends Suite {
        @Override
        Ledger fresh() {
            return new Ledger() {
                @Override
                public void write(Term term, String value) throws Exception {
                    raise(term);
                    LockSupport.parkNanos(200_000);
                    accept(value);
                }
            };
        }
    }

    @Test
    void a_fence_that_remembers_per_client_is_found() {
        Verdicts.assertFound(RemembersPerClient.class, "what_one_client_raised_holds_for_all");
    }

    static class RemembersPerClient extends FenceContract {
        @Override
        protected GuardedResource open(String resource) {
            return new Ledger();
        }
    }
}
