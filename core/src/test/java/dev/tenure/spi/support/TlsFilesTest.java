// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.BackendException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates and keys in every form that the URL may name. */
class TlsFilesTest {
    private static final String PASSWORD = "of-the-stores";

    /** Made by {@code openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256}, with the password of the stores. */
    private static final String LOCKED_BY_OPENSSL =
            "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjPRvH2DFsNmQICCAAwDAYIKoZIhvcNAgkFADAdBglghk"
                    + "gBZQMEASoEEBGwmZDtvMoJKFoy1vK2pNcEgZAtOVDvxw/32BjH6cxxVhacBMqUaYSnfdxtiJ5m6ep/2kijksYo8gBY"
                    + "MJ+jS11yyQqLd7QweaxochdvdwINCpUIyJireAnZK2NfeWfqsCEUy/z1OddVfj0HFITqL8pLvVnSoE3MO524VYb4az"
                    + "9SSQic3VEB9YTQ905/KmBhvLuNIUDl7SWuMo1lfKruFDRFwGM=";

    @TempDir
    private static Path folder;

    private static Key key;
    private static Certificate certificate;

    @BeforeAll
    static void makeStores() throws Exception {
        for (String type : List.of("PKCS12", "JKS")) {
            String file = folder.resolve("store." + (type.equals("JKS") ? "jks" : "p12"))
                    .toString();
            List<String> line = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    "me",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=me",
                    "-keystore",
                    file,
                    "-storepass",
                    PASSWORD,
                    "-keypass",
                    PASSWORD,
                    "-storetype",
                    type);
            assertThat(new ProcessBuilder(line)
                            .redirectErrorStream(true)
                            .start()
                            .waitFor())
                    .isZero();
        }
        KeyStore store = KeyStore.getInstance(folder.resolve("store.p12").toFile(), PASSWORD.toCharArray());
        key = store.getKey("me", PASSWORD.toCharArray());
        certificate = store.getCertificate("me");
    }

    private static String pem(String kind, byte[] der) {
        String body = Base64.getMimeEncoder().encodeToString(der);
        return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
    }

    private static byte[] encrypted() throws Exception {
        String algorithm = "PBEWithSHA1AndDESede";
        SecretKey secret =
                SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(PASSWORD.toCharArray()));
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(Cipher.ENCRYPT_MODE, secret);
        return new EncryptedPrivateKeyInfo(cipher.getParameters(), cipher.doFinal(key.getEncoded())).getEncoded();
    }

    private static Path write(String name, String... parts) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("", parts));
    }

    private static TlsFiles tls(String file, String password) {
        Optional<Path> path = Optional.of(folder.resolve(file));
        return new TlsFiles(path, path, Optional.empty(), password);
    }

    private static Key keyIn(Path file) throws Exception {
        TlsFiles files = new TlsFiles(Optional.empty(), Optional.of(file), Optional.empty(), PASSWORD);
        return files.own(file).getKey("own", PASSWORD.toCharArray());
    }

    private static void assertRefused(TlsFiles files, String... words) {
        assertThatThrownBy(files::context)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED))
                .hasMessageContainingAll(words);
    }

    private static TlsFiles trusting(Path authorities) {
        return new TlsFiles(Optional.of(authorities), Optional.empty(), Optional.empty(), "");
    }

    @Test
    void stores_of_both_kinds_are_read() {
        assertThat(tls("store.p12", PASSWORD).context()).isNotNull();
        assertThat(tls("store.jks", PASSWORD).context()).isNotNull();
    }

    @Test
    void a_key_in_text_is_read_encrypted_or_not() throws Exception {
        String mine = pem("CERTIFICATE", certificate.getEncoded());
        Path plain = write("plain.pem", mine, pem("PRIVATE KEY", key.getEncoded()));
        Path locked = write("locked.pem", pem("ENCRYPTED PRIVATE KEY", encrypted()), mine);

        assertThat(keyIn(plain)).isEqualTo(key);
        assertThat(keyIn(locked)).isEqualTo(key);
        assertThat(TlsFiles.trusted(locked).getCertificate("ca-0")).isEqualTo(certificate);
    }

    @Test
    void a_key_may_stand_in_a_file_of_its_own() throws Exception {
        Path mine = write("mine.crt", pem("CERTIFICATE", certificate.getEncoded()));
        Path secret = write("mine.key", pem("PRIVATE KEY", key.getEncoded()));

        TlsFiles files = new TlsFiles(Optional.of(mine), Optional.of(mine), Optional.of(secret), "");

        assertThat(files.own(mine).getKey("own", new char[0])).isEqualTo(key);
        assertThat(files.context()).isNotNull();
    }

    @Test
    void certificate_and_key_of_two_files_come_in_one_store_with_a_password_of_its_own() throws Exception {
        Path mine = write("both.pem", pem("CERTIFICATE", certificate.getEncoded()));
        Path locked = write("both.key", pem("ENCRYPTED PRIVATE KEY", encrypted()));
        TlsFiles files = new TlsFiles(Optional.empty(), Optional.of(mine), Optional.of(locked), PASSWORD);

        KeyStore store = files.identityStore("other");

        assertThat(store.getKey("own", "other".toCharArray())).isEqualTo(key);
        assertThat(store.getCertificate("own")).isEqualTo(certificate);
    }

    @Test
    void a_key_that_openssl_has_encrypted_is_read() throws Exception {
        byte[] der = Base64.getDecoder().decode(LOCKED_BY_OPENSSL);
        Path locked =
                write("openssl.pem", pem("ENCRYPTED PRIVATE KEY", der), pem("CERTIFICATE", certificate.getEncoded()));

        assertThat(keyIn(locked).getAlgorithm()).isEqualTo("EC");
    }

    @Test
    void without_files_the_authorities_of_the_jvm_are_trusted_and_nothing_is_shown() {
        assertThat(new TlsFiles(Optional.empty(), Optional.empty(), Optional.empty(), "").context())
                .isNotNull();
    }

    @Test
    void authorities_that_cannot_be_read_or_are_none_are_told_by_name() throws IOException {
        assertRefused(trusting(folder.resolve("missing.pem")), "missing.pem", "cannot be read");
        assertRefused(trusting(folder.resolve("missing.p12")), "missing.p12", "cannot be read");
        assertRefused(trusting(write("none.pem", "")), "none.pem", "holds no certificate");
    }

    @Test
    void a_key_in_another_form_is_told_with_how_to_convert_it() throws Exception {
        byte[] dsa = KeyPairGenerator.getInstance("DSA")
                .generateKeyPair()
                .getPrivate()
                .getEncoded();
        Optional<Path> mine = Optional.of(write("certificate.pem", pem("CERTIFICATE", certificate.getEncoded())));
        Path older = write("older.key", pem("RSA PRIVATE KEY", new byte[] {48, 0}));
        Path unknown = write("unknown.key", pem("PRIVATE KEY", dsa));

        assertRefused(
                new TlsFiles(Optional.empty(), mine, Optional.of(older), ""),
                "older.key",
                "openssl pkcs8 -topk8 -nocrypt");
        assertRefused(
                new TlsFiles(Optional.empty(), mine, Optional.of(unknown), ""),
                "unknown.key",
                "neither EC nor RSA nor Ed25519");
    }

    @Test
    void a_password_is_not_shown() {
        assertThat(tls("store.p12", "of-nobody"))
                .hasToString(tls("store.p12", PASSWORD).toString());
    }

    @Test
    void what_cannot_be_read_is_told_without_its_password() throws Exception {
        write("empty.pem", "nothing");

        for (TlsFiles tls : List.of(tls("store.p12", "wrong-secret"), tls("empty.pem", PASSWORD))) {
            assertThatThrownBy(tls::context)
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED))
                    .hasMessageContaining(folder.toString())
                    .message()
                    .doesNotContain("wrong-secret", PASSWORD);
        }
    }
}
