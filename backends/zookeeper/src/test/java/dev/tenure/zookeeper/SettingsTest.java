// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a URL can say, and what is said about one that cannot work. */
class SettingsTest {
    private static Settings parse(String url) {
        return Settings.parse(BackendUrl.parse(url));
    }

    @Test
    void servers_without_a_port_have_the_usual_one_and_a_store_without_a_path_has_a_place_of_its_own() {
        Settings settings = parse("zk://one,two:2182,[::1]:2183");

        assertThat(settings.servers().toString()).isEqualTo("one:2181,two:2182,[::1]:2183");
        assertThat(settings.paths()).isEqualTo(Paths.below("/tenure", Paths.Access.OPEN));
        assertThat(settings.shown()).isEqualTo("zookeeper://one:2181,two:2182,[::1]:2183/tenure");
    }

    @Test
    void the_records_of_the_store_stand_beside_the_elections() {
        Paths paths = parse("zookeeper://one/a/b/").paths();

        assertThat(paths.era()).isEqualTo("/a/b/e");
        assertThat(paths.election(ElectionName.of("x/y"))).isEqualTo("/a/b/c/x%2fy");
        assertThat(paths.electionAt("/a/b/c/x%2fy/_c_1-latch-0")).contains(ElectionName.of("x/y"));
        assertThat(paths.electionAt("/a/b/c")).isEmpty();
    }

    @Test
    void the_latches_of_peers_are_reached_by_their_own_path() {
        Paths paths = parse("zk://one/tenure?elections=/services/billing").paths();

        assertThat(paths.election(ElectionName.of("Latch 1"))).isEqualTo("/services/billing/Latch 1");
        assertThatThrownBy(() -> paths.election(ElectionName.of("a/b"))).hasMessageContaining("one part of a path");
    }

    @Test
    void a_user_can_stand_in_the_url_or_in_options_and_owns_what_it_creates(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "p+w\n");

        assertThat(parse("zk://me:p%2Bw@one,two").login().digest()).contains(new StoreUrl.Login("me", "p+w"));
        assertThat(parse("zk://one?auth=digest&user=me&password.file=" + file)
                        .login()
                        .digest())
                .contains(new StoreUrl.Login("me", "p+w"));
        assertThat(parse("zk://me:pw@one").paths().access()).isEqualTo(Paths.Access.CREATOR);
        assertThat(parse("zk://me:pw@one?acl=open").paths().access()).isEqualTo(Paths.Access.OPEN);
        assertThat(parse("zk://one?auth=sasl").login().section()).contains("Client");
    }

    @Test
    void a_password_is_never_shown() {
        Settings settings = parse("zk://me:hush-hush@one");

        assertThat(settings.toString()).doesNotContain("hush-hush");
        assertThat(settings.shown()).doesNotContain("hush-hush");
        assertThatThrownBy(() -> parse("zk://me:hush-hush@one:99999/x"))
                .message()
                .doesNotContain("hush-hush");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zk:one",
                "zk://",
                "zk://one,,two",
                "zk://one:0",
                "zk://one:70000",
                "zk://one/a//b",
                "zk://one/a/../b",
                "zk://one/zookeeper/x",
                "zk://one?auth=kerberos",
                "zk://one?auth=digest&user=me",
                "zk://one?acl=creator",
                "zk://one?acl=some",
                "zk://one?tls=maybe",
                "zk://one?tls.ca=/no/such/file",
                "zk://one/a?elections=/a",
                "zk://one?elections=a",
                "zk://one?timeout=3s",
                "zk://one?tick=0s"
            })
    void what_cannot_work_is_refused_before_anything_is_connected(String url) {
        assertThatThrownBy(() -> parse(url))
                .isInstanceOf(RuntimeException.class)
                .hasMessageMatching(".{20,}");
    }
}
