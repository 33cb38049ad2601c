// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackendUrlTest {
    private static final String SECRET = "hunter2";

    @Test
    void a_url_has_a_scheme_a_place_and_options() {
        BackendUrl url = BackendUrl.parse("etcd://h1:2379,h2:2379/prefix?ttl=10s&node=a%20b");

        assertThat(url.scheme()).isEqualTo("etcd");
        assertThat(url.rest()).isEqualTo("//h1:2379,h2:2379/prefix");
        assertThat(url.options()).isEqualTo(Map.of("ttl", "10s", "node", "a b"));
        assertThat(url.duration("ttl")).contains(Duration.ofSeconds(10));
        assertThat(url.option("missing")).isEmpty();
    }

    @Test
    void place_and_options_may_be_missing() {
        assertThat(BackendUrl.parse("local:")).isEqualTo(new BackendUrl("local", "", Map.of()));
        assertThat(BackendUrl.parse("local:?").options()).isEmpty();
        assertThat(BackendUrl.parse("local:/var/lib/x").rest()).isEqualTo("/var/lib/x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "local", "Local:", "1x:", ":", "/var/lib", "-x:", "lo cal:"})
    void what_has_no_scheme_is_refused_with_an_example(String text) {
        assertThatThrownBy(() -> BackendUrl.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("local:/var/lib/myapp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"local:?ttl", "local:?=1", "local:?a=1&", "local:?&a=1", "local:?a=1&&b=2"})
    void an_option_without_name_or_value_is_refused(String text) {
        assertThatThrownBy(() -> BackendUrl.parse(text)).hasMessageContaining("name=value");
    }

    @Test
    void an_option_that_stands_twice_is_refused_even_in_another_spelling() {
        assertThatThrownBy(() -> BackendUrl.parse("local:?ttl=1s&ttl=2s")).hasMessageContaining("'ttl' stands twice");
        assertThatThrownBy(() -> BackendUrl.parse("local:?ttl=1s&%74tl=2s")).hasMessageContaining("'ttl' stands twice");
    }

    @Test
    void a_value_may_contain_an_equals_sign_and_escapes() {
        assertThat(BackendUrl.parse("local:?a=b=c&d=%26%3D%25").options()).isEqualTo(Map.of("a", "b=c", "d", "&=%"));
    }

    @Test
    void a_broken_escape_is_refused() {
        assertThatThrownBy(() -> BackendUrl.parse("local:?a=%zz")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_misspelt_option_is_refused_with_those_that_are_known() {
        BackendUrl url = BackendUrl.parse("local:/x?tll=10s");

        assertThatThrownBy(() -> url.refuseOptionsBut(Set.of("prefix", "cert")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown option 'tll'")
                .hasMessageContaining("known here: cert, node, prefix, standoff, ttl");
        url.without(Set.of("tll")).refuseOptionsBut(Set.of());
    }

    @Test
    void leaving_options_out_keeps_the_others() {
        BackendUrl url = BackendUrl.parse("local:/x?a=1&b=2&c=3").without(Set.of("a", "c", "z"));

        assertThat(url).isEqualTo(new BackendUrl("local", "/x", Map.of("b", "2")));
    }

    @Test
    void a_wrong_duration_names_its_option() {
        assertThatThrownBy(() -> BackendUrl.parse("local:?ttl=soon").duration("ttl"))
                .hasMessageContaining("option ttl 'soon'");
    }

    @Test
    void what_is_not_secret_is_shown() {
        assertThat(BackendUrl.parse("etcd://root:" + SECRET + "@h1:2379/p?x=1"))
                .hasToString("etcd://root:***@h1:2379/p");
        assertThat(BackendUrl.parse("local:/var/lib/x")).hasToString("local:/var/lib/x");
        assertThat(BackendUrl.parse("etcd://h1:2379,h2:2379")).hasToString("etcd://h1:2379,h2:2379");
        assertThat(BackendUrl.parse("jdbc:mariadb://h1:3306/db?user=x")).hasToString("jdbc:mariadb://h1:3306/db");
        assertThat(BackendUrl.parse("jdbc:h2:mem:x;MODE=MySQL")).hasToString("jdbc:h2:mem:x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd://user:hunter2@host",
                "etcd://:hunter2@host",
                "etcd://user:hunter2@host:2379/p",
                "etcd://user:pa:hunter2@host",
                "etcd://user:pa@hunter2@host",
                "etcd://user:hunter2@pa@host",
                "etcd://user:pa/hunter2@host",
                "etcd://user:hunter2/pa@host",
                "etcd://user:hunter2#pa@host",
                "etcd://user:pa#hunter2@host",
                "etcd://user:pa%40hunter2@host",
                "etcd://h1:1,user:hunter2@h2:2",
                "etcd://a:b@h1,user:hunter2@h2",
                "etcd://us%40er:hunter2@host",
                "jdbc:postgresql://user:hunter2@host/db",
                "jdbc:h2:mem:x;USER=sa;PASSWORD=hunter2",
                "jdbc:sqlserver://host;user=sa;password=hunter2",
                "jdbc:oracle:thin:user/hunter2@host",
                "jdbc:oracle:thin:user/hunter2@//host:1521/x",
                "jdbc:postgresql://user:pa;hunter2@host/db",
                "jdbc:postgresql://user:hunter2;pa@host/db",
                "etcd://host?password=hunter2",
                "etcd://host?a=1&token=hunter2"
            })
    void a_password_is_never_shown(String text) {
        assertThat(BackendUrl.parse(text).toString()).doesNotContain(SECRET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Etcd://user:hunter2@host",
                "Etcd://user:pa@hunter2@host",
                "Etcd://user:pa/hunter2@host",
                "//user:hunter2@host",
                "Etcd://host?password=hunter2",
                "etcd://user:pa?hunter2@host",
                "etcd://user:hunter2?pa@host",
                "etcd://user:pa?x=1&hunter2@host",
                "etcd://host?password=hunter2&password=x",
                "etcd://host?password=%zzhunter2"
            })
    void a_refused_url_does_not_show_its_password_either(String text) {
        assertThatThrownBy(() -> BackendUrl.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain(SECRET));
    }

    @Test
    void the_complaint_about_an_unknown_option_does_not_show_the_password() {
        BackendUrl url = BackendUrl.parse("etcd://user:" + SECRET + "@host?bad=" + SECRET);

        assertThatThrownBy(() -> url.refuseOptionsBut(Set.of()))
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain(SECRET));
    }
}
