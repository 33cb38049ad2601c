package dev.tenure.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.BackendException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that cannot be used are told by name; those that can are tried by the backends, on real servers. */
class TlsTest {
    private static final String SELF_SIGNED = """
            -----BEGIN CERTIFICATE-----
            MIIBdTCCARugAwIBAgIUQc4Bl2gjtCwNPcAiJxG2Ei2iefAwCgYIKoZIzj0EAwIw
            DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMTYxOTQ4MzJaGA8yMTI2MTAyMzE5NDgz
            MlowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMYK
            cMzxr/s5QC1gjYmsk/8qSNDaT1lZVB8cDb5uMjA56R1S4HwDsqi6UB33XUQoOQef
            +2331nclOOUDoVkqSOejUzBRMB0GA1UdDgQWBBQI3l3Re0QLDMGvUjG5JBkdPkmt
            ATAfBgNVHSMEGDAWgBQI3l3Re0QLDMGvUjG5JBkdPkmtATAPBgNVHRMBAf8EBTAD
            AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCIfYWD5YA9G32HWkAJVdOia7TJnSCbUdAH
            QXOd1ZbYOAIgaRwVOynYsiwmxEtBbHUCgWKhJDjG/w08s1RV5yEO7UI=
            -----END CERTIFICATE-----
            """;

    @TempDir
    private Path folder;

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private static void assertRefused(Tls tls, String... words) {
        assertThatThrownBy(tls::context)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED))
                .hasMessageContainingAll(words);
    }

    @Test
    void without_files_the_authorities_of_the_jvm_are_trusted_and_nothing_is_shown() {
        assertThat(new Tls(Optional.empty(), Optional.empty(), Optional.empty()).context())
                .isNotNull();
    }

    @Test
    void authorities_that_cannot_be_read_or_are_none_are_told_by_name() throws IOException {
        Path missing = folder.resolve("missing.pem");
        Path empty = file("empty.pem", "");

        assertRefused(
                new Tls(Optional.of(missing), Optional.empty(), Optional.empty()), "missing.pem", "cannot be read");
        assertRefused(
                new Tls(Optional.of(empty), Optional.empty(), Optional.empty()), "empty.pem", "holds no certificate");
    }

    @Test
    void a_key_in_another_form_is_told_with_how_to_convert_it() throws IOException, NoSuchAlgorithmException {
        byte[] dsa = KeyPairGenerator.getInstance("DSA")
                .generateKeyPair()
                .getPrivate()
                .getEncoded();
        Path certificate = file("certificate.pem", SELF_SIGNED);
        Path older = file("older.key", "-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----\n");
        Path unknown = file(
                "unknown.key",
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(dsa)
                        + "\n-----END PRIVATE KEY-----\n");

        assertRefused(
                new Tls(Optional.empty(), Optional.of(certificate), Optional.of(older)),
                "older.key",
                "openssl pkcs8 -topk8 -nocrypt");
        assertRefused(
                new Tls(Optional.empty(), Optional.of(certificate), Optional.of(unknown)),
                "unknown.key",
                "neither EC nor RSA nor Ed25519");
    }
}
