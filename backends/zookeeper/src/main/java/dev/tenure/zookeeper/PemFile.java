package dev.tenure.zookeeper;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Certificates, and a key in PKCS#8 that may be encrypted, in one file of text. */
record PemFile(Path file, String text) {
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", Pattern.DOTALL);
    private static final Pattern KEY = Pattern.compile(
            "-----BEGIN (ENCRYPTED )?PRIVATE KEY-----(.+?)-----END (?:ENCRYPTED )?PRIVATE KEY-----", Pattern.DOTALL);

    static PemFile read(Path file) throws IOException {
        return new PemFile(file, Files.readString(file, StandardCharsets.ISO_8859_1));
    }

    KeyStore authorities() throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate trusted : certificates()) {
            store.setCertificateEntry("ca-" + number++, trusted);
        }
        return store;
    }

    KeyStore identity(char[] password) throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        store.setKeyEntry("client", key(password), password, certificates().toArray(Certificate[]::new));
        return store;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, new char[0]);
        return store;
    }

    private List<Certificate> certificates() throws GeneralSecurityException, IOException {
        String found =
                CERTIFICATE.matcher(text).results().map(match -> match.group()).collect(Collectors.joining("\n"));
        if (found.isEmpty()) {
            throw new IOException(file + " holds no certificate");
        }
        byte[] bytes = found.getBytes(StandardCharsets.ISO_8859_1);
        return List.copyOf(
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes)));
    }

    private PrivateKey key(char[] password) throws GeneralSecurityException, IOException {
        Matcher found = KEY.matcher(text);
        if (!found.find()) {
            throw new IOException(
                    file + " holds no key in PKCS#8 ('BEGIN PRIVATE KEY'); convert it with openssl pkcs8 -topk8");
        }
        byte[] der = Base64.getMimeDecoder().decode(found.group(2));
        PKCS8EncodedKeySpec encoded = found.group(1) == null ? new PKCS8EncodedKeySpec(der) : decrypted(der, password);
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            Optional<PrivateKey> key = keyOf(algorithm, encoded);
            if (key.isPresent()) {
                return key.get();
            }
        }
        throw new IOException(file + " holds a key that is neither EC nor RSA nor Ed25519");
    }

    private static PKCS8EncodedKeySpec decrypted(byte[] der, char[] password)
            throws GeneralSecurityException, IOException {
        EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(der);
        AlgorithmParameters parameters = encrypted.getAlgParameters();
        boolean newer = encrypted.getAlgName().equals("PBES2"); // whose parameters name the cipher
        String algorithm = newer ? parameters.toString() : encrypted.getAlgName();
        Cipher cipher = Cipher.getInstance(algorithm);
        SecretKeyFactory secrets = SecretKeyFactory.getInstance(algorithm);
        cipher.init(Cipher.DECRYPT_MODE, secrets.generateSecret(new PBEKeySpec(password)), parameters);
        return encrypted.getKeySpec(cipher);
    }

    /** Empty if it is a key of another kind. */
    private static Optional<PrivateKey> keyOf(String algorithm, PKCS8EncodedKeySpec encoded)
            throws GeneralSecurityException {
        try {
            return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(encoded));
        } catch (InvalidKeySpecException other) {
            return Optional.empty();
        }
    }
}
