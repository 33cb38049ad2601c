package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.BackendException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
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

    private static PemFile write(String name, String... parts) throws IOException {
        return PemFile.read(Files.writeString(folder.resolve(name), String.join("", parts)));
    }

    private static Tls tls(String file, String password) {
        String path = folder.resolve(file).toString();
        return new Tls(Optional.of(path), Optional.of(path), Optional.of(new Secret(password)));
    }

    @Test
    void stores_of_both_kinds_are_read() {
        assertThat(TlsFiles.context(tls("store.p12", PASSWORD))).isNotNull();
        assertThat(TlsFiles.context(tls("store.jks", PASSWORD))).isNotNull();
    }

    @Test
    void a_key_in_text_is_read_encrypted_or_not() throws Exception {
        String mine = pem("CERTIFICATE", certificate.getEncoded());
        PemFile plain = write("plain.pem", mine, pem("PRIVATE KEY", key.getEncoded()));
        PemFile locked = write("locked.pem", pem("ENCRYPTED PRIVATE KEY", encrypted()), mine);

        char[] password = PASSWORD.toCharArray();
        assertThat(plain.identity(password).getKey("client", password)).isEqualTo(key);
        assertThat(locked.identity(password).getKey("client", password)).isEqualTo(key);
        assertThat(locked.authorities().getCertificate("ca-0")).isEqualTo(certificate);
    }

    @Test
    void a_key_that_openssl_has_encrypted_is_read() throws Exception {
        byte[] der = Base64.getDecoder().decode(LOCKED_BY_OPENSSL);
        PemFile locked =
                write("openssl.pem", pem("ENCRYPTED PRIVATE KEY", der), pem("CERTIFICATE", certificate.getEncoded()));

        char[] password = PASSWORD.toCharArray();
        assertThat(locked.identity(password).getKey("client", password).getAlgorithm())
                .isEqualTo("EC");
    }

    @Test
    void what_cannot_be_read_is_told_without_its_password() throws Exception {
        write("empty.pem", "nothing");

        for (Tls tls : List.of(tls("store.p12", "wrong-secret"), tls("empty.pem", PASSWORD))) {
            assertThatThrownBy(() -> TlsFiles.context(tls))
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED))
                    .hasMessageContaining(folder.toString())
                    .message()
                    .doesNotContain("wrong-secret", PASSWORD);
        }
    }
}
