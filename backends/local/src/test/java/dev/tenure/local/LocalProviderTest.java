// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Grade;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.local.LocalStore.MachineEnvironment;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.StoreBinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalProviderTest {
    private final SystemHost host = SystemHost.start("test");

    @TempDir
    private Path temp;

    private Path root;

    @BeforeEach
    void a_plain_machine() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
    }

    @AfterEach
    void shutdown() {
        host.shutdown();
    }

    @Test
    void it_is_found_by_its_scheme() {
        assertThat(ServiceLoader.load(BackendProvider.class))
                .anyMatch(provider -> provider.schemes().contains("local"));
    }

    @Test
    void without_a_path_it_uses_the_state_home_of_the_user() {
        connect("local:", Map.of("XDG_STATE_HOME", temp.resolve("state").toString(), "HOME", "/nowhere"));

        assertThat(temp.resolve("state/tenure/format")).exists();
    }

    @Test
    void without_a_state_home_it_uses_the_home() {
        connect("local:", Map.of("XDG_STATE_HOME", "not/absolute", "HOME", temp.toString()));

        assertThat(temp.resolve(".local/state/tenure/format")).exists();
    }

    @Test
    void a_path_is_used_as_it_stands() {
        try (StoreBinding storeBinding = connect("local:" + temp.resolve("here"), Map.of())) {
            BackendTraits traits = storeBinding.traits();

            assertThat(temp.resolve("here/format")).exists();
            assertThat(traits.store()).isEqualTo("local:" + temp.resolve("here"));
            assertThat(traits.grade()).isEqualTo(Grade.A);
            assertThat(traits.ttlMin()).isEqualTo(Duration.ofMillis(500));
            assertThat(traits.ttlMax()).isEqualTo(Duration.ofHours(1));
            assertThat(traits.tokens()).isEqualTo(BackendTraits.TokenSource.COUNTER);
            assertThat(traits.wakeup()).isEqualTo(BackendTraits.Wakeup.WATCH);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local:state", "local:./state", "local:~/state", "local://host/state", "local:///state"})
    void a_path_that_is_not_from_the_root_is_refused(String url) {
        assertThatThrownBy(() -> connect(url, Map.of())).isInstanceOfSatisfying(BackendException.class, failure -> {
            assertThat(failure.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(failure).hasMessageContaining("write local:/var/lib/myapp");
        });
    }

    @Test
    void an_unknown_option_is_refused() {
        assertThatThrownBy(() -> connect("local:" + temp.resolve("here") + "?fsync=off", Map.of()))
                .hasMessageContaining("'fsync'");
        assertThat(temp.resolve("here")).doesNotExist();
    }

    @Test
    void in_a_container_the_directory_must_be_named() throws IOException {
        Files.createFile(root.resolve(".dockerenv"));
        Map<String, String> environment = Map.of("HOME", temp.toString());

        assertThatThrownBy(() -> connect("local:", environment))
                .isInstanceOfSatisfying(BackendException.class, failure -> {
                    assertThat(failure.kind()).isEqualTo(Kind.MISCONFIGURED);
                    assertThat(failure).hasMessageContaining("three pods on three disks would be three leaders");
                    assertThat(failure).hasMessageContaining("local:/dir");
                });
        connect("local:" + temp.resolve("here"), environment).close();
    }

    private StoreBinding connect(String url, Map<String, String> environment) {
        return new LocalProvider(root, environment, MachineEnvironment.thisOne()).connect(BackendUrl.parse(url), host);
    }
}
