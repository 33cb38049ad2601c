// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.security.auth.login.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** SASL (DIGEST-MD5) with JAAS files on both sides, against servers that ask for it. */
@Tag("server")
@Isolated("the JAAS configuration belongs to the whole JVM")
class SaslTest {
    private static final String PROPERTY = "java.security.auth.login.config";
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final ElectionName ELECTION = ElectionName.of("e");
    private static final String MODULE = "org.apache.zookeeper.server.auth.DigestLoginModule required";

    @TempDir
    private static Path folder;

    private static Ensemble ensemble;

    @BeforeAll
    static void startServersThatKnowSasl() throws Exception {
        Path server = Files.writeString(
                folder.resolve("server.jaas"), "Server { " + MODULE + " user_bob=\"right\" user_eve=\"other\"; };\n");
        Path client = Files.writeString(
                folder.resolve("client.jaas"),
                "Client { " + MODULE + " username=\"bob\" password=\"right\"; };\n"
                        + "Mistaken { " + MODULE + " username=\"bob\" password=\"wrong-secret\"; };\n"
                        + "Other { " + MODULE + " username=\"eve\" password=\"other\"; };\n");
        ensemble = Ensemble.start(
                List.of("authProvider.sasl=org.apache.zookeeper.server.auth.SASLAuthenticationProvider"),
                List.of("-D" + PROPERTY + "=" + server));
        useJaas(client.toString());
    }

    /** Read anew by the JVM when next asked for. */
    private static void useJaas(String file) {
        System.setProperty(PROPERTY, file);
        Configuration.setConfiguration(null);
    }

    @AfterAll
    static void stopServers() {
        System.clearProperty(PROPERTY);
        Configuration.setConfiguration(null);
        ensemble.close();
    }

    @Test
    void a_user_of_the_jaas_file_holds_elections_and_owns_what_it_creates() throws Exception {
        String url = ensemble.url("/owned") + "&auth=sasl";
        try (Actor actor = Actor.open(url, TTL)) {
            assertThat(actor.take(ELECTION).token().value()).isPositive();

            assertRefused(ensemble.url("/owned"), "does not let a client without a login touch /owned");
            assertRefused(url + "&jaas=Other", "the JAAS section 'Other'");
        }
    }

    @Test
    void a_wrong_password_is_told() {
        assertRefused(ensemble.url("/wrong") + "&auth=sasl&jaas=Mistaken", "did not accept the login")
                .hasMessageContaining("the JAAS section 'Mistaken'")
                .message()
                .doesNotContain("wrong-secret");
    }

    @Test
    void a_section_that_is_not_there_is_told() {
        assertRefused(ensemble.url("/none") + "&auth=sasl&jaas=Nobody", "the JAAS section 'Nobody'");
    }

    private static org.assertj.core.api.AbstractThrowableAssert<?, ?> assertRefused(String url, String why) {
        try (Actor actor = new Actor(url)) {
            return assertThatThrownBy(() -> actor.open(TTL))
                    .cause()
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED))
                    .hasMessageContaining(why);
        }
    }
}
