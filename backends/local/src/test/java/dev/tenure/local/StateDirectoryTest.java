// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.names;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateDirectoryTest {
    private final CountingFileOps disk = new CountingFileOps();

    @TempDir
    private Path temp;

    @Test
    void a_named_directory_is_made_if_its_parent_exists() {
        StateDirectory made = named(temp.resolve("state"));

        assertThat(names(made.layout().root()))
                .containsExactly("boot", "ceiling", "format", "records", "torn", "values");
        assertThat(made.layout().format()).hasContent("tenure local 1\n");
    }

    @Test
    void a_missing_parent_is_a_typing_error() {
        assertRefused(
                temp.resolve("sate/app"), Kind.MISCONFIGURED, temp.resolve("sate") + " does not exist: create it");
        assertThat(temp.resolve("sate")).doesNotExist();
    }

    @Test
    void the_default_directory_is_made_with_its_parents_and_private() throws IOException {
        Path home = temp.resolve("home/.local/state/tenure");

        StateDirectory made = StateDirectory.open(home, true, disk, 1);

        assertThat(made.scope()).isEqualTo(Scope.USER);
        assertThat(mode(home)).isEqualTo("rwx------");
        assertThat(mode(home.resolve("values"))).isEqualTo("rwx------");
        assertThat(mode(home.resolve("records/c"))).isEqualTo("rwx------");
        assertThat(mode(home.resolve("format"))).isEqualTo("rw-------");
    }

    @Test
    void records_are_as_private_as_the_directory() throws IOException {
        try (Fixture fixture = new Fixture(temp.resolve("state"))) {
            put(fixture.open(), "c/a", "secret");

            assertThat(mode(fixture.valueOf("c/a"))).isEqualTo("rw-------");
            assertThat(mode(fixture.layout().record(RecordKey.of("c/a")))).isEqualTo("rwx------");
        }
    }

    @Test
    void records_in_a_shared_directory_are_shared() throws IOException {
        Path shared = Files.createDirectory(temp.resolve("state"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwx---"));
        try (Fixture fixture = new Fixture(shared)) {
            LocalStore store = fixture.open();
            put(store, "c/a", "ours");

            assertThat(store.traits().scope()).isEqualTo(Scope.MACHINE);
            assertThat(mode(fixture.valueOf("c/a"))).isEqualTo("rw-rw----");
            assertThat(mode(fixture.layout().record(RecordKey.of("c/a")))).isEqualTo("rwxrwx---");
            assertThat(mode(fixture.layout().values())).isEqualTo("rwxrwx---");
        }
    }

    @Test
    void the_group_of_a_shared_directory_is_handed_on() throws IOException {
        Path shared = Files.createDirectory(temp.resolve("state"));
        Files.setAttribute(shared, "unix:mode", 02770);
        try (Fixture fixture = new Fixture(shared)) {
            put(fixture.open(), "c/a", "ours");

            assertThat((int) Files.getAttribute(fixture.layout().values(), "unix:mode") & 07777)
                    .isEqualTo(02770);
        }
    }

    @Test
    void a_private_named_directory_reaches_this_user_only() {
        assertThat(named(temp.resolve("state")).scope()).isEqualTo(Scope.USER);
    }

    @Test
    void a_file_is_not_a_directory() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));

        assertRefused(file, Kind.MISCONFIGURED, file + " is not a directory");
    }

    @Test
    void a_directory_of_somebody_else_is_left_alone() throws IOException {
        Files.writeString(temp.resolve("thesis.txt"), "years of work");

        assertRefused(temp, Kind.CORRUPT, "'thesis.txt'");
        assertThat(names(temp)).containsExactly("thesis.txt");
    }

    @Test
    void another_format_is_refused() throws IOException {
        named(temp.resolve("state"));
        Files.writeString(temp.resolve("state/format"), "tenure local 2\n");

        assertRefused(temp.resolve("state"), Kind.CORRUPT, "another version of Tenure");
    }

    @Test
    void another_file_next_to_ours_does_no_harm() throws IOException {
        named(temp.resolve("state"));
        Files.writeString(temp.resolve("state/README"), "do not touch");

        named(temp.resolve("state"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "fuse.sshfs", "fuse.s3fs", "ceph", "gfs2", "afs"
            })
    void a_file_system_that_other_machines_may_share_is_refused(String type) {
        disk.pretendedType = type;

        assertRefused(temp, Kind.MISCONFIGURED, "(" + type + ")");
        assertThat(names(temp)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "apfs", "fuseblk", ""})
    void a_disk_of_this_machine_is_fine(String type) {
        disk.pretendedType = type;

        assertThatCode(() -> named(temp)).doesNotThrowAnyException();
    }

    @Test
    void a_directory_that_may_not_be_written_is_refused() throws IOException {
        Path closed = Files.createDirectory(temp.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeTrue(!Files.isWritable(closed), "root may write everywhere, so this runs as another user only");

        assertRefused(closed, Kind.MISCONFIGURED, "may not be written by this user");
    }

    @Test
    void a_read_only_file_system_is_refused() {
        try (Mount mount = Mount.tmpfs(temp.resolve("mount"), "size=1m,ro")) {
            assertRefused(mount.directory(), Kind.MISCONFIGURED, "is read-only: mount it for writing");
        }
    }

    @Test
    void a_link_to_a_directory_is_followed() throws IOException {
        Path real = Files.createDirectory(temp.resolve("real"));
        Path link = Files.createSymbolicLink(temp.resolve("link"), real);

        assertThat(named(link).layout().root()).isEqualTo(real.toRealPath());
    }

    @Test
    void many_processes_may_make_it_at_once() {
        Path state = temp.resolve("state");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (Fixture fixture = new Fixture(state)) {
            List<CompletableFuture<StateDirectory>> opened = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                long random = fixture.host.random();
                opened.add(
                        CompletableFuture.supplyAsync(() -> StateDirectory.open(state, false, disk, random), threads));
            }

            opened.forEach(Fixture::await);

            assertThat(names(state)).containsExactly("boot", "ceiling", "format", "records", "torn", "values");
            assertThat(read(fixture.open(), "c/a").isPresent()).isFalse();
        }
        threads.shutdown();
    }

    private StateDirectory named(Path directory) {
        return StateDirectory.open(directory, false, disk, 1);
    }

    private void assertRefused(Path directory, Kind kind, String sentence) {
        assertThatThrownBy(() -> named(directory)).isInstanceOfSatisfying(BackendException.class, failure -> {
            assertThat(failure.kind()).isEqualTo(kind);
            assertThat(failure.effect()).isEqualTo(BackendException.Effect.NONE);
            assertThat(failure).hasMessageContaining(sentence);
        });
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
