// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.FencingToken;
import dev.tenure.contract.Recorder;
import dev.tenure.spi.SessionRequest;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the first member of a group is told, as long as it is the only one. */
class AloneTest {
    /** Core waits for a session for so long, and then only knows that there was no answer. */
    private static final Duration CORE_WAITS = Duration.ofSeconds(2);

    private final Trio trio = new Trio("");

    @AfterEach
    void close() {
        trio.close();
    }

    @Test
    void who_cannot_be_reached_is_told_by_name_and_with_the_reason_before_core_gives_up() {
        trio.start("b");
        PeersBackend door = trio.door("b");
        SessionRequest request = new SessionRequest("node", Duration.ofMillis(1500));

        assertThatThrownBy(() -> reply(() -> door.open(request, new Recorder())))
                .hasMessageContaining("no majority of the group can be reached")
                .hasMessageContaining("a@127.0.0.1:" + trio.port("a") + ": it has not called yet")
                .hasMessageContaining("c@127.0.0.1:" + trio.port("c") + ": Connection refused");
    }

    @Test
    void who_only_looks_is_told_the_same() {
        trio.start("b");
        PeersBackend door = trio.door("b");

        assertThatThrownBy(() -> door.list().toCompletableFuture().join())
                .hasMessageContaining("no majority of the group can be reached: a@127.0.0.1:");
    }

    /** It would be on the disks, and no token could be made of it. */
    @Test
    void an_era_that_no_token_can_have_is_refused() {
        trio.start("b");
        PeersBackend door = trio.door("b");

        assertThatThrownBy(() -> reply(() -> door.raiseEra(FencingToken.ERA_MAX + 1)))
                .hasMessageContaining("era 32768 is outside 0..32767");
    }

    private static <T> T reply(Supplier<CompletionStage<T>> call) throws Exception {
        return call.get().toCompletableFuture().get(CORE_WAITS.toMillis(), TimeUnit.MILLISECONDS);
    }
}
