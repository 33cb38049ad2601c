// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Watch;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Who hears of which keys, and for how long. */
class WatchRegistryTest {
    private final WatchRegistry<KeyWatcher> watchers = new WatchRegistry<>();
    private final List<String> heard = new ArrayList<>();
    private final List<Watch> later = new ArrayList<>();

    private Watch add(Consumer<String> changedKey) {
        return watchers.add(new KeyWatcher("c/", changedKey));
    }

    private void tell(String key) {
        watchers.publish(watcher -> watcher.changed(key));
    }

    @Test
    void who_was_closed_while_a_hint_was_on_its_way_does_not_hear_it() {
        add(key -> later.forEach(Watch::close));
        later.add(add(heard::add));

        tell("c/a");

        assertThat(heard).isEmpty();
    }

    @Test
    void one_that_fails_does_not_keep_the_others_from_hearing() {
        add(key -> {
            throw new IllegalStateException("of the watcher's own");
        });
        add(heard::add);

        tell("c/a");
        tell("s/a");

        assertThat(heard).containsExactly("c/a");
    }
}
