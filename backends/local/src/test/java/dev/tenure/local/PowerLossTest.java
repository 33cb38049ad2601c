// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.applied;
import static dev.tenure.local.Fixture.await;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real file system that really loses what was not forced to the disk. */
class PowerLossTest {
    private static final int ELECTIONS = 40;
    private static final int LOSSES = 5;

    @TempDir
    private Path temp;

    @Test
    void no_token_comes_back_and_the_era_stays() {
        try (Mount mount = Mount.ext4(temp.resolve("mount"))) {
            long highest = 0;
            for (int loss = 0; loss < LOSSES; loss++) {
                try (Fixture fixture = new Fixture(mount.directory().resolve("state"))) {
                    // The wall clock of a machine without a battery: it tells nothing after a boot.
                    fixture.host.wallMillis = 1_000;
                    fixture.clock.bootId = String.format("%08x-aaaa-bbbb-cccc-000000000000", loss);
                    LocalStore store = fixture.open();

                    if (loss > 0) {
                        assertThat(read(store, "e").value()).isEqualTo("era " + (loss - 1));
                        assertThat(read(store, "c/0").clockMillis()).isGreaterThan(highest);
                    }
                    put(store, "e", "era " + loss);
                    for (int round = 0; round < 20; round++) {
                        fixture.host.wallMillis += 900;
                        highest = claimAll(store, highest);
                    }
                }
                mount.losePower();
            }
        }
    }

    /** Returns the highest token that was acknowledged. */
    private static long claimAll(LocalStore store, long before) {
        long token = before;
        List<CompletionStage<WriteReply>> claims = new ArrayList<>();
        for (int i = 0; i < ELECTIONS; i++) {
            Versioned record = read(store, "c/" + i);
            token = Math.max(token + 1, record.clockMillis());
            claims.add(store.compareAndSet(new Write(record, "token " + token, Optional.empty(), token)));
        }
        claims.forEach(claim -> applied(await(claim)));
        return token;
    }

    @Test
    void what_is_torn_is_no_record_and_what_is_whole_is_one() {
        try (Mount mount = Mount.ext4(temp.resolve("mount"))) {
            Versioned forced;
            try (Fixture fixture = new Fixture(mount.directory().resolve("state"))) {
                LocalStore store = fixture.open();
                forced = put(store, "c/forced", "whole");
                // Forces everything written so far as well, on this file system.
                put(store, "e", "era 0");
                put(store, "c/late", "perhaps torn");
                applied(write(store, read(store, "c/forced"), "perhaps torn too"));
            }
            mount.losePower();
            try (Fixture fixture = new Fixture(mount.directory().resolve("state"))) {
                fixture.clock.bootId = ManualClock.NEXT_BOOT;
                LocalStore store = fixture.open();

                assertThat(read(store, "c/late").value()).isIn("", "perhaps torn");
                assertThat(read(store, "c/forced").value()).isIn("", "whole", "perhaps torn too");
                assertThat(put(store, "c/late", "new").value()).isEqualTo("new");
                assertThat(put(store, "c/forced", "new").version()).isNotEqualTo(forced.version());
            }
        }
    }
}
