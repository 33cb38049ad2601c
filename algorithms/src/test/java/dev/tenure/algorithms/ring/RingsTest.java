// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Drive;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.ring.RingMessage.Bid;
import dev.tenure.algorithms.ring.RingMessage.Elected;
import dev.tenure.algorithms.ring.RingMessage.Probe;
import dev.tenure.algorithms.ring.RingMessage.Reply;
import dev.tenure.algorithms.ring.RingMessage.Roll;
import dev.tenure.algorithms.ring.RingMessage.Side;
import dev.tenure.algorithms.ring.RingSettings.Repair;
import dev.tenure.algorithms.ring.RingState.Electing;
import dev.tenure.algorithms.ring.RingState.Following;
import dev.tenure.algorithms.ring.RingState.Leading;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RingsTest {
    private static final RingSettings SETTINGS = RingSettings.lab();
    private static final Group GROUP = new Group(3, List.of(1, 3, 2, 5, 4));

    private final Drive<RingState> list = Drive.started(new RingList(GROUP, SETTINGS));
    private final Drive<RingState> changRoberts = Drive.started(new ChangRoberts(GROUP, SETTINGS));
    private final Drive<RingState> hirschbergSinclair = Drive.started(new HirschbergSinclair(GROUP, SETTINGS));

    @Test
    void everybody_adds_its_id_to_the_list() {
        assertThat(list.receives(1, new Roll(List.of(4, 1))).sends())
                .containsExactly(new Effect.Send(2, new Roll(List.of(4, 1, 3))));
    }

    @Test
    void who_finds_itself_in_the_list_closes_it_with_the_highest_id() {
        Drive<RingState> node = list.called().receives(1, new Roll(List.of(3, 2, 5, 4, 1)));

        assertThat(node.sends()).containsExactly(new Effect.Send(2, new Elected(5, 3)));
        assertThat(node.state().standing()).isEqualTo(new Following(5));
    }

    @Test
    void a_list_whose_highest_id_has_died_is_not_believed() {
        list.suspects(5).receives(1, new Roll(List.of(3, 2, 5, 4, 1)));

        assertThat(list.state().standing()).isEqualTo(new Electing());
    }

    @Test
    void the_news_goes_around_and_is_taken_off_the_ring_by_its_sender() {
        assertThat(list.receives(1, new Elected(5, 4)).sends()).containsExactly(new Effect.Send(2, new Elected(5, 4)));
        assertThat(list.receives(1, new Elected(5, 3)).sends()).isEmpty();
    }

    @Test
    void a_lower_leader_is_not_accepted() {
        assertThat(list.receives(1, new Elected(2, 2)).state().standing()).isEqualTo(new Electing());
    }

    @Test
    void a_dead_neighbour_is_skipped_only_with_repair() {
        Drive<RingState> plain = Drive.started(new RingList(GROUP, SETTINGS.repairing(Repair.NONE)));

        assertThat(list.suspects(2).called().sends())
                .extracting(Effect.Send::to)
                .containsExactly(5);
        assertThat(plain.suspects(2).called().sends())
                .extracting(Effect.Send::to)
                .containsExactly(2);
    }

    @Test
    void who_is_alone_leads() {
        list.suspects(1).suspects(2).suspects(4).suspects(5).called();

        assertThat(list.state().standing()).isEqualTo(new Leading());
        assertThat(list.sends()).isEmpty();
    }

    @Test
    void only_higher_bids_pass_and_a_lower_one_is_replaced_once() {
        assertThat(changRoberts.receives(1, new Bid(5)).sends()).containsExactly(new Effect.Send(2, new Bid(5)));
        assertThat(changRoberts.receives(1, new Bid(1)).sends()).isEmpty();
        assertThat(Drive.started(new ChangRoberts(GROUP, SETTINGS))
                        .receives(1, new Bid(1))
                        .sends())
                .containsExactly(new Effect.Send(2, new Bid(3)));
    }

    @Test
    void a_bid_that_comes_home_leads() {
        changRoberts.called().receives(1, new Bid(3));

        assertThat(changRoberts.state().standing()).isEqualTo(new Leading());
        assertThat(changRoberts.sends()).containsExactly(new Effect.Send(2, new Elected(3, 3)));
    }

    @Test
    void a_bid_of_the_dead_is_taken_off_the_ring() {
        assertThat(changRoberts.suspects(5).receives(1, new Bid(5)).sends()).isEmpty();
    }

    @Test
    void a_probe_goes_to_both_sides_and_twice_as_far_after_two_replies() {
        assertThat(hirschbergSinclair.called().sends())
                .containsExactly(
                        new Effect.Send(2, new Probe(3, 0, 1, Side.AFTER)),
                        new Effect.Send(1, new Probe(3, 0, 1, Side.BEFORE)));
        assertThat(hirschbergSinclair.receives(2, new Reply(3, 0, Side.BEFORE)).sends())
                .isEmpty();
        assertThat(hirschbergSinclair.receives(1, new Reply(3, 0, Side.AFTER)).sends())
                .contains(new Effect.Send(2, new Probe(3, 1, 1, Side.AFTER)));
    }

    @Test
    void a_higher_probe_is_passed_on_or_turned_around_at_its_end() {
        assertThat(hirschbergSinclair
                        .receives(1, new Probe(5, 1, 1, Side.AFTER))
                        .sends())
                .containsExactly(new Effect.Send(2, new Probe(5, 1, 2, Side.AFTER)));
        assertThat(hirschbergSinclair
                        .receives(1, new Probe(5, 1, 2, Side.AFTER))
                        .sends())
                .containsExactly(new Effect.Send(1, new Reply(5, 1, Side.BEFORE)));
    }

    @Test
    void a_lower_probe_is_swallowed_and_one_that_comes_home_leads() {
        assertThat(hirschbergSinclair
                        .called()
                        .receives(2, new Probe(2, 0, 1, Side.BEFORE))
                        .sends())
                .isEmpty();
        assertThat(hirschbergSinclair
                        .receives(1, new Probe(3, 3, 5, Side.AFTER))
                        .state()
                        .standing())
                .isEqualTo(new Leading());
    }

    @Test
    void a_probe_that_was_overtaken_by_the_end_of_its_election_draws_no_follower_into_it() {
        hirschbergSinclair.called().receives(1, new Elected(5, 5));

        hirschbergSinclair.receives(2, new Probe(4, 1, 1, Side.BEFORE));
        assertThat(hirschbergSinclair.state().standing()).isEqualTo(new Following(5));
        assertThat(hirschbergSinclair.sends()).containsExactly(new Effect.Send(1, new Probe(4, 1, 2, Side.BEFORE)));

        hirschbergSinclair.receives(1, new Elected(4, 4)).receives(2, new Probe(5, 0, 1, Side.BEFORE));
        assertThat(hirschbergSinclair.state().standing()).isEqualTo(new Electing());
    }
}
