// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {
    private static final String SECRET = "hunter2";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            etcd://root:hunter2@h1:2379,h2:2379/p?x=1                 | etcd://root:***@h1:2379,h2:2379/p
            etcd://root:hunter2@[::1]:2379/p                          | etcd://root:***@[::1]:2379/p
            etcd://h1:2379,root:hunter2@h2:2379                       | etcd://***@h2:2379
            etcd://root:12,hunter2@h2:2379                            | etcd://***@h2:2379
            etcd://root:hunter2                                       | etcd://root:***
            etcd://root:hunter2/x?ttl=1s                              | etcd://root:***
            jdbc:mariadb://app:hunter2/db                             | jdbc:mariadb://app:***
            etcd://h1:2379,h2:2379/p?x=1                              | etcd://h1:2379,h2:2379/p
            peers://a:hunter2@h1:7001,b@h2:7001,c:hunter2@h3:7001     | peers://a:***@h1:7001,b@h2:7001,c:***@h3:7001
            peers://a@h1:7001,b@h2:7001,c@h3:7001?me=a                | peers://a@h1:7001,b@h2:7001,c@h3:7001
            postgresql://app:pa@hunter2@host/db                       | postgresql://***@host/db
            jdbc:mariadb://app:hunter2@host/db?password=hunter2       | jdbc:mariadb://app:***@host/db
            jdbc:mariadb://db:3306/app?user=me@corp&password=hunter2  | jdbc:mariadb://db:3306/app
            jdbc:mysql://address=(host=h)(password=hunter2)(port=1)/d | jdbc:mysql://address=(host=h)(password=***)(port=1)/d
            jdbc:h2:mem:x;PASSWORD=hunter2                            | jdbc:h2:mem:x
            jdbc:sqlserver://host:1433;user=sa;password=p@hunter2     | jdbc:sqlserver://host:1433
            jdbc:oracle:thin:scott/hunter2@//host:1521/x              | jdbc:oracle:thin:***@//host:1521/x
            jdbc:oracle:thin:@host:1521:x                             | jdbc:oracle:thin:***@host:1521:x
            jdbc:db2://host:50000/db:password=hunter2;                | jdbc:db2://host:50000/db:password=***
            app:hunter2@host:5432/db                                  | app:***@host:5432/db
            app/hunter2@host                                          | app/***@host
            etcd:root:hunter2@host                                    | etcd:***@host
            local:/home/me:hunter@corp/x                              | local:/home/me:hunter@corp/x
            /var/lib/x                                                | /var/lib/x
            """)
    void a_url_keeps_all_but_its_secrets_and_options(String url, String shown) {
        assertThat(Redactor.url(url)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd://user:hunter2@host",
                "etcd://user:pa:hunter2@host",
                "etcd://user:pa@hunter2@host",
                "etcd://user:pa/hunter2@host",
                "etcd://user:pa?hunter2@host",
                "etcd://user:pa?x=hunter2@host",
                "etcd://user:pa?x=1&hunter2@host",
                "etcd://user:pa,hunter2@host",
                "etcd://user:12,hunter2@host",
                "etcd://user:hunter2",
                "etcd://host?password=hunter2&x=1",
                "etcd://host?x=1&pass%77ord=hunter2",
                "etcd://host?api_key=hunter2",
                "etcd://host?access.token=hunter2",
                "etcd://host?tls.key.passphrase=hunter2",
                "peers://a:hunter2@h1:7001,b:hunter2@h2",
                "jdbc:postgresql://user:pa;hunter2@host/db",
                "jdbc:mariadb://host/db?keyStorePassword=hunter2",
                "jdbc:mysql://address=(host=h)(password=hunter2)/db",
                "jdbc:h2:mem:x;USER=sa;PASSWORD=hunter2;MODE=MySQL",
                "jdbc:h2:mem:x; PASSWORD = hunter2?tenure.ttl=1s",
                "jdbc:sqlserver://host;user=sa;password={hunter2}",
                "jdbc:sqlserver://host;pwd={a;hunter2}}b};encrypt=true",
                "jdbc:oracle:thin:scott/hunter2@host",
                "jdbc:oracle:thin:scott/\"a@hunter2\"@//host:1521/x",
                "jdbc:hunter2@host",
                "user:hunter2@host",
                "//user:hunter2@host",
                "etcd:root:hunter2@host"
            })
    void a_secret_of_the_url_is_taken_out_of_every_message(String url) {
        Redactor redactor = Redactor.of(url);

        String told = redactor.text("Incorrect port value : " + SECRET + "@host in <" + SECRET + ">, host unknown");

        assertThat(told).isEqualTo("Incorrect port value : ***@host in <***>, host unknown");
        assertThat(redactor).asString().doesNotContain(SECRET);
    }

    @Test
    void an_encoded_secret_is_taken_out_in_every_spelling() {
        Redactor encoded = Redactor.of("etcd://root:p%40%20ss@host");
        Redactor plain = Redactor.of("jdbc:h2:mem:x;PASSWORD=p@ ss");

        for (String spelling : List.of("p%40%20ss", "p%40+ss", "p@ ss")) {
            assertThat(encoded.text("<" + spelling + ">")).isEqualTo("<***>");
            assertThat(plain.text("<" + spelling + ">")).isEqualTo("<***>");
        }
        assertThat(Redactor.of("jdbc:sqlserver://h;password={a}}b;c}").text("<a}b;c>"))
                .isEqualTo("<***>");
    }

    @Test
    void a_secret_from_elsewhere_is_taken_out_too() {
        Redactor redactor = Redactor.of("etcd://root:first@host").and(List.of("second"));

        assertThat(redactor.text("first, second, third")).isEqualTo("***, ***, third");
    }

    @Test
    void the_longest_secret_is_hidden_first() {
        Redactor redactor = Redactor.withoutKnown().and(List.of("hunter", "hunter2"));

        assertThat(redactor.text("hunter2 hunter")).isEqualTo("*** ***");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            etcd://h/?password=app   | app is at http://app.example, not an application | *** is at http://***.example, not an application
            etcd://h/?password=a     | a host                                           | a host
            etcd://h?password=true   | it is true                                       | it is true
            etcd://h?password.file=/run/secrets/db | /run/secrets/db cannot be read     | /run/secrets/db cannot be read
            jdbc:mariadb://db:3306/app?user=me@corp | db:3306/app refuses me@corp       | db:3306/app refuses me@corp
            zk://h:2181/a@b          | port 2181 of h                                   | port 2181 of h
            """)
    void what_is_no_secret_stays_readable(String url, String said, String told) {
        assertThat(Redactor.of(url).text(said)).isEqualTo(told);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            No driver for jdbc:x://app:hunter2@host/db              | No driver for jdbc:x://app:***@host/db
            No driver for jdbc:oracle:thin:scott/hunter2@//host     | No driver for jdbc:oracle:thin:scott/***@//host
            No driver for jdbc:x:y;user=sa;password=hunter2;a=b     | No driver for jdbc:x:y;user=sa;password=***;a=b
            {user=sa, password=hunter2, a=b}                        | {user=sa, password=***, a=b}
            Term[election=e, token=17]                              | Term[election=e, token=17]
            write ?user=NAME&password.file=FILE                     | write ?user=NAME&password.file=FILE
            write peers://a@host1:7001,b@host2:7001?me=a            | write peers://a@host1:7001,b@host2:7001?me=a
            postgresql://h1:5432,h2:5432/db, as app@corp            | postgresql://h1:5432,h2:5432/db, as app@corp
            """)
    void what_looks_like_a_secret_of_an_unknown_url_is_hidden_too(String said, String told) {
        assertThat(Redactor.withoutKnown().text(said)).isEqualTo(told);
    }

    @Test
    void a_failure_that_shows_no_secret_stays_itself() {
        RuntimeException failure = new IllegalStateException("closed", new IOException("reset"));

        assertThat(Redactor.of("etcd://root:hunter2@host").failure(failure)).isSameAs(failure);
    }

    @Test
    void a_failure_is_told_without_the_secret_with_its_kind_its_causes_and_where_it_came_from() {
        Redactor redactor = Redactor.of("etcd://root:hunter2@host");
        Throwable driver = new IOException("port hunter2@host", new NumberFormatException("for hunter2"));
        BackendException failure = new BackendException(Effect.UNKNOWN, Kind.CORRUPT, "it fails", driver);

        Throwable told = redactor.failure(new CompletionException(failure));

        assertThat(told).isInstanceOf(CompletionException.class);
        assertThat(told.getCause()).isInstanceOfSatisfying(BackendException.class, store -> {
            assertThat(store.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(store.kind()).isEqualTo(Kind.CORRUPT);
            assertThat(store.getStackTrace()).isEqualTo(failure.getStackTrace());
        });
        assertThat(told)
                .hasStackTraceContaining("it fails")
                .hasStackTraceContaining("java.io.IOException: port ***@host")
                .hasStackTraceContaining("for ***");
        assertThat(told.toString() + trace(told)).doesNotContain(SECRET);
    }

    @Test
    void a_secret_that_only_a_suppressed_failure_shows_is_taken_out() {
        RuntimeException failure = new IllegalArgumentException("outer");
        failure.addSuppressed(new IOException("hunter2"));

        RuntimeException told = Redactor.of("etcd://root:hunter2@host").failure(failure);

        assertThat(told).isInstanceOf(IllegalArgumentException.class).hasMessage("outer");
        assertThat(trace(told)).doesNotContain(SECRET);
    }

    @Test
    void causes_in_a_circle_end() {
        RuntimeException one = new IllegalStateException("hunter2");
        RuntimeException other = new IllegalStateException("other", one);
        one.initCause(other);

        assertThat(trace(Redactor.of("etcd://root:hunter2@host").failure(one))).doesNotContain(SECRET);
    }

    private static String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }
}
