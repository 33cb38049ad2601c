// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a URL with servers or a path can say, and what is said about one that cannot work. */
class StoreUrlTest {
    private static StoreUrl of(String url) {
        return StoreUrl.of(BackendUrl.parse(url), "x://host:1,host:1/path", Set.of("wait", "raw"));
    }

    @Test
    void servers_have_the_usual_port_unless_they_say_so() {
        assertThat(of("x://one,two:22,[::1]:3,[fe80::1]/p").servers(7))
                .containsExactly(
                        new StoreUrl.Server("one", 7),
                        new StoreUrl.Server("two", 22),
                        new StoreUrl.Server("[::1]", 3),
                        new StoreUrl.Server("[fe80::1]", 7));
    }

    @Test
    void the_path_is_what_follows_the_servers() {
        assertThat(of("x://one").path()).isEmpty();
        assertThat(of("x://one/").path()).isEqualTo("/");
        assertThat(of("x://me:pw@one,two/a/b@c").path()).isEqualTo("/a/b@c");
    }

    @Test
    void a_password_comes_from_a_file_an_option_or_the_place_in_this_order(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "in file\n");

        assertThat(of("x://one").login()).isEmpty();
        assertThat(of("x://me:p%40w+@one").login()).contains(new StoreUrl.Login("me", "p@w+"));
        assertThat(of("x://me:hidden@one?password=option").login()).contains(new StoreUrl.Login("me", "option"));
        assertThat(of("x://me@one?password=option&password.file=" + file).login())
                .contains(new StoreUrl.Login("me", "in file"));
        assertThat(of("x://me:pw@one?user=you").login()).contains(new StoreUrl.Login("you", "pw"));
    }

    @Test
    void tls_is_wanted_if_it_is_said_or_a_file_is_named(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("any.pem"), "any");

        assertThat(of("x://one").tls()).isEmpty();
        assertThat(of("x://one?tls=off").tls()).isEmpty();
        assertThat(of("x://one?tls=on").tls())
                .contains(new TlsFiles(Optional.empty(), Optional.empty(), Optional.empty(), ""));
        assertThat(of("x://one?tls.cert=" + file + "&tls.key=" + file + "&tls.password.file=" + file)
                        .tls())
                .contains(new TlsFiles(Optional.empty(), Optional.of(file), Optional.of(file), "any"));
    }

    @Test
    void durations_and_flags_have_usual_values() {
        Duration minute = Duration.ofMinutes(1);

        assertThat(of("x://one").duration("wait", Duration.ofSeconds(3), minute))
                .isEqualTo(Duration.ofSeconds(3));
        assertThat(of("x://one?wait=7s").duration("wait", Duration.ofSeconds(3), minute))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(of("x://one").flag("raw", true)).isTrue();
        assertThat(of("x://one?raw=false").flag("raw", true)).isFalse();
    }

    @Test
    void a_path_on_this_machine_is_what_stands_between_the_scheme_and_the_options() {
        StoreUrl url = StoreUrl.ofPath(BackendUrl.parse("x:/var/a b/f.db?wait=7s"), "x:/file", Set.of("wait"));

        assertThat(url.path()).isEqualTo("/var/a b/f.db");
        assertThat(url.duration("wait", Duration.ofSeconds(3), Duration.ofMinutes(1)))
                .isEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x:", "x:file", "x:./file", "x://host/file", "x:///file"})
    void a_url_without_a_path_from_the_root_is_refused(String url) {
        assertThatThrownBy(() -> StoreUrl.ofPath(BackendUrl.parse(url), "x:/file", Set.of()))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("write x:/file");
    }

    @Test
    void a_path_has_no_login_and_no_tls() {
        assertThatThrownBy(() -> StoreUrl.ofPath(BackendUrl.parse("x:/file?tls=on"), "x:/file", Set.of("wait")))
                .hasMessageContaining("unknown option 'tls'")
                .hasMessageContaining("wait");
    }

    private static void everything(StoreUrl url) {
        url.servers(1);
        url.login();
        url.tls();
        url.flag("raw", false);
        url.duration("wait", Duration.ofSeconds(1), Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x:one                       | names no server: write x://host:1,host:1/path",
                "x://                        | names a server that cannot be understood",
                "x://one,,two                | names a server that cannot be understood",
                "x://one:port                | names a server that cannot be understood",
                "x://one:1:2                 | names a server that cannot be understood",
                "x://::1                     | names a server that cannot be understood",
                "x://[::1                    | names a server that cannot be understood",
                "x://one:0                   | is outside 1..65535",
                "x://one:65536               | is outside 1..65535",
                "x://one?user=me             | has no password",
                "x://one?password=pw         | there is a password but no user",
                "x://one?user=me&password.file=/nowhere | cannot be read",
                "x://one?tls=maybe           | must be true or false",
                "x://one?tls=false&tls.ca=/x | tls=false and names certificates",
                "x://one?tls.key=/x          | belong together",
                "x://one?tls.ca=/nowhere     | cannot be read",
                "x://one?raw=1               | must be true or false",
                "x://one?wait=2m             | must be above 0s and at most 1m",
                "x://one?wait=0s             | must be above 0s and at most 1m",
            })
    void what_cannot_work_is_refused_with_a_reason(String url, String reason) {
        assertThatThrownBy(() -> everything(of(url)))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED))
                .hasMessageContaining(reason);
    }

    @Test
    void an_option_that_nobody_knows_is_refused() {
        assertThatThrownBy(() -> of("x://one?rwa=true"))
                .hasMessageContaining("unknown option 'rwa'")
                .hasMessageContaining("raw");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x://me:hush-hush@one:99999/p", "x://me:hush/hush-hush@one", "x://me:hush-hush"})
    void a_password_is_never_shown(String url) {
        assertThatThrownBy(() -> everything(of(url))).message().doesNotContain("hush-hush");
        assertThat(of(url).toString()).doesNotContain("hush-hush");
    }

    @Test
    void a_login_is_shown_without_its_password() {
        assertThat(of("x://me:hush-hush@one").login().orElseThrow().toString()).isEqualTo("me");
    }
}
