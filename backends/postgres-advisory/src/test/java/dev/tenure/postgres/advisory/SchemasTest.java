// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose changes are heard, where tables of one name stand in several schemas of one database. */
@Tag("server")
class SchemasTest {
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Set<ElectionName> heard = ConcurrentHashMap.newKeySet();

    private static Side side(String option) {
        return new Side(AdvisoryServer.url("schemas") + "&" + option);
    }

    private static void change(Side side, BackendSession session, ElectionName election) {
        ClaimReply.Granted grant = side.take(session, election);
        side.ask(() -> session.release(election, grant.nonce()));
    }

    private void changeUntilHeard(Side side, BackendSession session, ElectionName election) {
        await("a word of " + election).atMost(PATIENCE).until(() -> {
            change(side, session, election);
            return heard.contains(election);
        });
    }

    @Test
    void only_words_of_the_own_schema_are_heard_whether_it_is_named_or_found() {
        ElectionName theirs = ElectionName.of("theirs");
        try (Side namer = side("tenure.schema=here");
                Side finder = side("currentSchema=elsewhere,here");
                Side stranger = side("tenure.schema=there")) {
            BackendSession here = namer.open(TTL);
            BackendSession found = finder.open(TTL);
            BackendSession there = stranger.open(TTL);
            try (Watch watch = finder.backend().watch(heard::add)) {
                changeUntilHeard(finder, found, ElectionName.of("listening"));

                change(stranger, there, theirs);
                changeUntilHeard(namer, here, ElectionName.of("ours"));

                assertThat(heard).doesNotContain(theirs);
            }
        }
    }
}
