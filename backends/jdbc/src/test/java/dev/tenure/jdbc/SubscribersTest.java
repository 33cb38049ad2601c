package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Watch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who hears of which keys, and for how long. */
class SubscribersTest {
    private final Subscribers subscribers = new Subscribers();
    private final List<String> heard = new ArrayList<>();
    private final List<Watch> later = new ArrayList<>();

    @Test
    void who_was_closed_while_a_hint_was_on_its_way_does_not_hear_it() {
        subscribers.add("c/", key -> later.forEach(Watch::close));
        later.add(subscribers.add("c/", hint -> heard.add(hint)));

        subscribers.hint("c/a");

        assertThat(heard).isEmpty();
    }

    @Test
    void one_that_fails_does_not_keep_the_others_from_hearing() {
        subscribers.add("c/", key -> {
            throw new IllegalStateException("of the watcher's own");
        });
        subscribers.add("c/", hint -> heard.add(hint));

        subscribers.hint("c/a");
        subscribers.hint("s/a");

        assertThat(heard).containsExactly("c/a");
    }
}
