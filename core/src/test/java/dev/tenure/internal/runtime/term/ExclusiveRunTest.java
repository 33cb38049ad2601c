// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.fakes.ManualHost;
import dev.tenure.internal.engine.Authority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The handing over of a term to the caller's thread, in every order in which it can happen. */
class ExclusiveRunTest {
    private static final ElectionName ELECTION = ElectionName.of("x");
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final ManualHost host = new ManualHost();
    private final SharedAuthority lease = new SharedAuthority(
            host,
            new Authority(host.nanos() + Duration.ofHours(1).toNanos(), host.nanos(), host.wallMillis(), 1000, false));
    private final ExclusiveRun run = new ExclusiveRun(ELECTION, host, LIMIT);
    private final RecordingOwner owner = new RecordingOwner(Runnable::run);
    private final List<Loss> ended = owner.ended();
    private final List<Long> performed = new ArrayList<>();

    @AfterEach
    void no_flag_is_left_for_other_tests() {
        Thread.interrupted();
    }

    private TermTask.OfCaller term(long token) {
        LeadershipHandle leadership = new LeadershipHandle(termOf(ELECTION, token), lease, host, owner);
        return new TermTask.OfCaller(run, leadership);
    }

    private static Term termOf(ElectionName election, long token) {
        return new Term(election, new FencingToken(token), new Nonce(token, token), "node");
    }

    private void perform() throws Exception {
        run.perform(leadership -> performed.add(leadership.token().value()));
    }

    @Test
    void the_body_runs_on_the_callers_thread_and_its_end_is_reported() throws Exception {
        List<Thread> threads = new ArrayList<>();
        run.first();
        term(1).begin();

        run.perform(leadership -> threads.add(Thread.currentThread()));

        assertThat(threads).containsExactly(Thread.currentThread());
        assertThat(ended).containsExactly(new Loss.Completed());
    }

    @Test
    void a_term_that_comes_after_the_caller_has_given_up_ends_at_once() {
        run.first();
        assertThatThrownBy(this::perform).isInstanceOf(TimeoutException.class);
        run.giveUp();

        term(1).begin();

        assertThat(ended).containsExactly(new Loss.Closed());
        assertThat(performed).isEmpty();
    }

    @Test
    void a_term_that_comes_while_the_caller_gives_up_ends_at_once() {
        run.first();
        term(1).begin();

        run.giveUp();

        assertThat(ended).containsExactly(new Loss.Closed());
    }

    @Test
    void a_term_that_was_lost_before_the_caller_noticed_it_is_ended_and_the_next_one_is_waited_for() throws Exception {
        TermTask.OfCaller lost = term(1);
        run.first();
        lost.begin();
        lost.leadership.end(new Loss.Expired(), false);
        run.interrupt(lost);
        host.wakeAt(host.nanos() + 1, () -> term(2).begin());

        perform();

        assertThat(performed).containsExactly(2L);
        assertThat(ended).containsExactly(new Loss.Expired(), new Loss.Completed());
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void the_engine_interrupts_the_body_and_its_flag_does_not_stay_behind() {
        List<Boolean> flags = new ArrayList<>();
        TermTask.OfCaller term = term(1);
        run.first();
        term.begin();

        assertThatThrownBy(() -> run.perform(leadership -> {
                    term.leadership.end(new Loss.Expired(), false);
                    run.interrupt(term);
                    flags.add(Thread.currentThread().isInterrupted());
                }))
                .isInstanceOf(NotLeadingException.class)
                .hasMessage("leadership of x was lost while the body ran");

        assertThat(flags).containsExactly(true);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(ended).containsExactly(new Loss.Expired());
    }

    @Test
    void a_flag_that_a_body_restores_after_the_engine_interrupted_it_does_not_stay_behind_either() {
        TermTask.OfCaller term = term(1);
        run.first();
        term.begin();

        assertThatThrownBy(() -> run.perform(leadership -> {
                    term.leadership.end(new Loss.Expired(), false);
                    run.interrupt(term);
                    Thread.interrupted();
                    Thread.currentThread().interrupt();
                }))
                .isInstanceOf(NotLeadingException.class);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void a_flag_that_somebody_else_has_set_stays_also_if_the_engine_interrupts_as_well() {
        TermTask.OfCaller term = term(1);
        run.first();
        term.begin();

        assertThatThrownBy(() -> run.perform(leadership -> {
                    Thread.currentThread().interrupt();
                    term.leadership.end(new Loss.Expired(), false);
                    run.interrupt(term);
                }))
                .isInstanceOf(NotLeadingException.class);

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void a_flag_that_the_body_has_set_stays() throws Exception {
        run.first();
        term(1).begin();

        run.perform(leadership -> Thread.currentThread().interrupt());

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void nothing_interrupts_the_thread_before_or_after_its_body() throws Exception {
        TermTask.OfCaller term = term(1);
        run.first();
        term.begin();

        run.interrupt(term);
        boolean before = Thread.currentThread().isInterrupted();
        perform();
        run.interrupt(term);

        assertThat(before).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void closing_wakes_a_caller_that_waits_and_ends_a_term_that_it_has_not_taken() {
        run.first();
        term(1).begin();

        run.close();

        assertThat(ended).containsExactly(new Loss.Closed());
        assertThatThrownBy(this::perform)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this client was closed while a call of exclusively waited for x; the body did not run");
        term(2).begin();
        assertThat(ended).hasSize(2);
    }

    @Test
    void closing_leaves_a_body_that_runs_to_its_term() {
        run.first();
        term(1).begin();

        assertThatCode(() -> run.perform(leadership -> run.close())).doesNotThrowAnyException();

        assertThat(ended).containsExactly(new Loss.Completed());
    }

    @Test
    void a_refused_token_ends_the_term_as_fenced_and_reaches_the_caller() {
        run.first();
        term(1).begin();
        StaleTokenException refused = new StaleTokenException("ledger", termOf(ELECTION, 1), new FencingToken(7));

        assertThatThrownBy(() -> run.perform(leadership -> {
                    throw refused;
                }))
                .isSameAs(refused);

        assertThat(ended).containsExactly(new Loss.Fenced(new FencingToken(7)));
    }

    @Test
    void a_refused_token_of_another_election_says_nothing_about_this_one() {
        run.first();
        term(1).begin();
        StaleTokenException refused =
                new StaleTokenException("ledger", termOf(ElectionName.of("y"), 1), new FencingToken(7));

        assertThatThrownBy(() -> run.perform(leadership -> {
                    throw refused;
                }))
                .isSameAs(refused);

        assertThat(ended).containsExactly(new Loss.Completed());
    }
}
