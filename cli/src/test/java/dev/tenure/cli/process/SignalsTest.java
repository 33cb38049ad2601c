// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SignalsTest {

    @Test
    void a_handler_hears_of_its_signal() {
        AtomicInteger heard = new AtomicInteger();

        boolean handled = Signals.handle("USR1", heard::set);
        Processes.signal("USR1", ProcessHandle.current().pid());

        assertThat(handled).isTrue();
        await().atMost(Processes.SOON).untilAtomic(heard, org.hamcrest.Matchers.is(10));
    }

    @Test
    void what_cannot_be_handled_is_refused_without_an_error() {
        assertThat(Signals.handle("KILL", number -> {})).isFalse();
        assertThat(Signals.handle("SEGV", number -> {})).isFalse();
        assertThat(Signals.handle("NOSUCH", number -> {})).isFalse();
    }
}
