package dev.tenure.faults.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.faults.ledger.Checks.Breach;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ChecksTest {
    private static final long LEASE = 100;

    private static Belief belief(String node, long token, long begin, long deadline) {
        return Belief.begun(node, token, begin, deadline);
    }

    private static Event raise(String node, long token) {
        return new Event.Raise(0, node, token, node, true);
    }

    private static Event write(String node, long token) {
        return new Event.Write(0, node, token, node, true);
    }

    @Test
    void beliefs_one_after_the_other_do_not_overlap() {
        List<Belief> beliefs = List.of(belief("a", 1, 0, 50), belief("b", 2, 50, 90));

        assertThat(Checks.overlaps(beliefs, List.of(), LEASE)).isEmpty();
    }

    @Test
    void a_deadline_that_reaches_into_the_next_term_is_an_overlap_also_of_one_that_was_stopped() {
        List<Belief> beliefs = List.of(belief("a", 1, 0, 60), belief("b", 2, 50, 90));

        assertThat(Checks.overlaps(beliefs, List.of(), LEASE)).hasSize(1);
    }

    @Test
    void one_that_has_stopped_believing_before_its_deadline_does_not_overlap() {
        List<Belief> beliefs = List.of(belief("a", 1, 0, 60).ended(40), belief("b", 2, 50, 90));

        assertThat(Checks.overlaps(beliefs, List.of(), LEASE)).isEmpty();
    }

    @Test
    void a_process_that_wakes_after_its_deadline_believed_no_longer_than_that() {
        Belief stopped = belief("a", 1, 0, 60).ended(500);

        assertThat(stopped.overNanos()).isEqualTo(60);
        assertThat(stopped.endNanos()).isEqualTo(OptionalLong.of(500));
    }

    @Test
    void a_broken_lease_excuses_an_overlap() {
        List<Belief> beliefs = List.of(belief("a", 1, 0, 120), belief("b", 2, 50, 300));

        assertThat(Checks.overlaps(beliefs, List.of(new Breach(40, 41)), LEASE)).isEmpty();
    }

    @Test
    void a_broken_lease_does_not_excuse_belief_beyond_the_deadline_that_was_left() {
        List<Belief> beliefs = List.of(belief("a", 1, 0, 142), belief("b", 2, 50, 300));

        assertThat(Checks.overlaps(beliefs, List.of(new Breach(40, 41)), LEASE)).hasSize(1);
    }

    @Test
    void a_lease_that_was_broken_later_excuses_nothing() {
        List<Belief> beliefs = List.of(belief("a", 1, 0, 60), belief("b", 2, 50, 90));

        assertThat(Checks.overlaps(beliefs, List.of(new Breach(55, 56)), LEASE)).hasSize(1);
    }

    @Test
    void a_write_with_an_older_token_than_one_that_was_raised_is_stale() {
        List<Event> events = List.of(raise("a", 1), write("a", 1), raise("b", 2), write("a", 1));

        assertThat(Checks.staleWrites(events)).hasSize(1);
    }

    @Test
    void the_same_token_in_two_hands_is_found() {
        List<Event> events = List.of(raise("a", 1), raise("b", 1));

        assertThat(Checks.sharedTokens(events, OptionalLong.empty())).hasSize(1);
    }

    @Test
    void a_token_from_the_future_that_is_issued_again_is_excused_if_it_was_refused() {
        Event first = new Event.Raise(10, "a", 1, "a", true);
        Event refused = new Event.Raise(20, "b", 1, "b", false);
        Event accepted = new Event.Raise(30, "c", 1, "c", true);

        assertThat(Checks.sharedTokens(List.of(first, refused), OptionalLong.of(5)))
                .isEmpty();
        assertThat(Checks.sharedTokens(List.of(first, refused), OptionalLong.of(25)))
                .hasSize(1);
        assertThat(Checks.sharedTokens(List.of(first, refused), OptionalLong.empty()))
                .hasSize(1);
        assertThat(Checks.sharedTokens(List.of(first, accepted), OptionalLong.of(5)))
                .hasSize(1);
    }
}
