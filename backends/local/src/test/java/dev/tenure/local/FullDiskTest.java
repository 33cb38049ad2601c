// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.applied;
import static dev.tenure.local.Fixture.names;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.Versioned;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FullDiskTest {
    @TempDir
    private Path temp;

    @Test
    void a_full_disk_loses_nothing_and_says_so() throws IOException {
        try (Mount mount = Mount.tmpfs(temp.resolve("mount"), "size=1m");
                Fixture fixture = new Fixture(mount.directory().resolve("state"))) {
            LocalStore store = fixture.open();
            Versioned claim = put(store, "c/a", "before");
            Path ballast = mount.directory().resolve("ballast");
            fill(ballast);

            assertNoSpace(fixture, () -> write(store, claim, "x".repeat(10_000)));
            assertNoSpace(fixture, () -> write(store, Versioned.absent("c/b", 0), "x".repeat(10_000)));

            assertThat(read(store, "c/a")).isEqualTo(claim);
            assertThat(names(fixture.layout().values())).hasSize(1);
            Files.delete(ballast);
            assertThat(applied(write(store, claim, "x".repeat(10_000))).value()).hasSize(10_000);
        }
    }

    @Test
    void a_disk_without_room_for_another_file_loses_nothing_and_says_so() throws IOException {
        try (Mount mount = Mount.tmpfs(temp.resolve("mount"), "size=1m,nr_inodes=40");
                Fixture fixture = new Fixture(mount.directory().resolve("state"))) {
            LocalStore store = fixture.open();
            Versioned claim = put(store, "c/a", "before");
            for (int i = 0; i < 40; i++) {
                try {
                    Files.createFile(mount.directory().resolve("ballast-" + i));
                } catch (IOException full) {
                    break;
                }
            }

            assertNoSpace(fixture, () -> write(store, claim, "after"));
            assertNoSpace(fixture, () -> write(store, Versioned.absent("c/b", 0), "after"));
            assertNoSpace(fixture, () -> write(store, claim, "after", 7));

            assertThat(read(store, "c/a")).isEqualTo(claim);
            Files.delete(mount.directory().resolve("ballast-0"));
            assertThat(applied(write(store, claim, "after")).value()).isEqualTo("after");
        }
    }

    private static void assertNoSpace(Fixture fixture, Runnable write) {
        assertThatThrownBy(write::run).isInstanceOfSatisfying(BackendException.class, failure -> {
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
            assertThat(failure)
                    .hasMessage("no space left on " + fixture.directory + ": free some space; nothing was lost");
        });
    }

    private static void fill(Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < 100_000; i++) {
                out.write(new byte[512]);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }
}
