// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.StoreUrl;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdSettingsTest {
    private static EtcdSettings of(String url) {
        return EtcdSettings.of(BackendUrl.parse(url));
    }

    @Test
    void servers_are_named_with_or_without_a_port() {
        assertThat(of("etcd://a,b:1234,[::1]:5/x").endpoints())
                .containsExactly(
                        URI.create("http://a:2379"), URI.create("http://b:1234"), URI.create("http://[::1]:5"));
        assertThat(of("etcd://a/x?tls=true").endpoints()).containsExactly(URI.create("https://a:2379"));
    }

    @Test
    void without_a_folder_elections_lie_in_tenure() {
        assertThat(of("etcd://a").keys().entry(ElectionName.of("x"), 1)).isEqualTo("tenure/x/1");
        assertThat(of("etcd://a/").keys().entry(ElectionName.of("x"), 1)).isEqualTo("tenure/x/1");
        assertThat(of("etcd://a/b/c/").keys().entry(ElectionName.of("x"), 1)).isEqualTo("b/c/x/1");
        assertThat(of("etcd://a?raw=true").keys().entry(ElectionName.of("x"), 1))
                .isEqualTo("x/1");
    }

    @Test
    void a_password_comes_from_the_url_an_option_or_a_file(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "s3cret\n");

        assertThat(of("etcd://joe:p%40ss@a/x").user()).contains(new StoreUrl.Login("joe", "p@ss"));
        assertThat(of("etcd://a/x?user=joe&password=p").user()).contains(new StoreUrl.Login("joe", "p"));
        assertThat(of("etcd://joe@a/x?password.file=" + secret).user()).contains(new StoreUrl.Login("joe", "s3cret"));
    }

    @Test
    void no_password_is_ever_shown() {
        EtcdSettings settings = of("etcd://joe:p4ssw0rd@a/x?password=0ther");

        assertThat(settings.toString()).doesNotContain("p4ssw0rd").doesNotContain("0ther");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "etcd:a                       | names no server",
                "etcd://                      | names a server that cannot be understood",
                "etcd://a,,b                  | names a server that cannot be understood",
                "etcd://a:port                | names a server that cannot be understood",
                "etcd://a:99999               | is outside 1..65535",
                "etcd://a,b:0                 | is outside 1..65535",
                "etcd://a?user=joe            | has no password",
                "etcd://a?password=p          | there is a password but no user",
                "etcd://a?tls.key=/x          | belong together",
                "etcd://a?tls.cert=/x         | cannot be read",
                "etcd://a?tls=false&tls.ca=/x | tls=false and names certificates",
                "etcd://a?raw=yes             | must be true or false",
                "etcd://a?timeout=2h          | at most 1m",
                "etcd://a?timeout=0s          | above 0s",
                "etcd://a?tmeout=1s           | unknown option 'tmeout'",
                "etcd://a?user=j&password.file=/nowhere/x | cannot be read",
            })
    void what_cannot_work_is_refused_with_a_reason(String url, String reason) {
        assertThatThrownBy(() -> of(url)).hasMessageContaining(reason);
    }
}
