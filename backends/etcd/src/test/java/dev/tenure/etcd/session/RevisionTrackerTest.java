package dev.tenure.etcd.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.etcd.client.EtcdClient.ClusterRevision;
import org.junit.jupiter.api.Test;

/** When a look can be spared, by revisions of the store. */
class RevisionTrackerTest {
    private static final long CLUSTER = 7;

    private final RevisionTracker quiet = new RevisionTracker(new ClusterRevision(CLUSTER, 10));

    private boolean isQuietAt(long revision) {
        quiet.renewed(new ClusterRevision(CLUSTER, revision));
        return quiet.takeWord();
    }

    @Test
    void a_session_that_has_written_nothing_in_a_store_that_stands_still_knows_all_it_has() {
        assertThat(isQuietAt(10)).isTrue();
    }

    @Test
    void own_writes_one_after_the_other_leave_nothing_to_look_for() {
        quiet.wrote(11);
        quiet.wrote(12);

        assertThat(isQuietAt(12)).isTrue();
    }

    @Test
    void own_writes_may_be_answered_in_any_order() {
        quiet.wrote(13);
        quiet.wrote(11);
        quiet.wrote(12);

        assertThat(isQuietAt(13)).isTrue();
    }

    @Test
    void a_write_of_somebody_else_before_the_own_one_has_to_be_looked_at() {
        quiet.wrote(12);

        assertThat(isQuietAt(12)).isFalse();
    }

    @Test
    void a_write_of_somebody_else_after_the_own_one_has_to_be_looked_at() {
        quiet.wrote(11);

        assertThat(isQuietAt(12)).isFalse();
    }

    @Test
    void after_a_look_the_store_is_known_as_it_was_at_the_renewal_before_it() {
        assertThat(isQuietAt(15)).isFalse();

        quiet.asking().run();

        assertThat(isQuietAt(15)).isTrue();
        assertThat(isQuietAt(16)).isFalse();
    }

    @Test
    void an_own_write_right_behind_a_look_needs_no_other_look() {
        quiet.wrote(16);
        assertThat(isQuietAt(15)).isFalse();

        quiet.asking().run();

        assertThat(isQuietAt(16)).isTrue();
    }

    @Test
    void a_word_is_good_for_one_look() {
        quiet.renewed(new ClusterRevision(CLUSTER, 10));

        assertThat(quiet.takeWord()).isTrue();
        assertThat(quiet.takeWord()).isFalse();
    }

    @Test
    void a_store_that_went_back_to_before_an_own_write_has_to_be_looked_at() {
        quiet.wrote(54);

        assertThat(isQuietAt(10)).isFalse();
    }

    @Test
    void another_server_has_to_be_asked_once_even_if_it_tells_the_same_revision() {
        quiet.doubt();
        assertThat(isQuietAt(10)).isFalse();

        quiet.asking().run();

        assertThat(isQuietAt(10)).isTrue();
    }

    @Test
    void a_look_that_was_answered_by_the_server_before_says_nothing_about_the_next_one() {
        assertThat(isQuietAt(15)).isFalse();
        Runnable answered = quiet.asking();

        quiet.doubt();
        answered.run();

        assertThat(isQuietAt(15)).isFalse();
    }

    @Test
    void another_cluster_is_never_quiet() {
        quiet.renewed(new ClusterRevision(CLUSTER + 1, 10));
        assertThat(quiet.takeWord()).isFalse();

        quiet.asking().run();

        quiet.renewed(new ClusterRevision(CLUSTER + 1, 10));
        assertThat(quiet.takeWord()).isFalse();
    }

    @Test
    void writes_that_were_never_linked_are_forgotten_and_do_no_harm() {
        for (int revision = 20; revision < 200; revision += 2) {
            quiet.wrote(revision);
        }

        assertThat(isQuietAt(198)).isFalse();
    }
}
