// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * Which servers are trusted, and what this client shows of itself, from files: PEM, or a key store if the name ends in {@code
 * .p12}, {@code .pfx} or {@code .jks}.
 *
 * @param authorities that vouch for the servers; those of the JVM if none are named
 * @param certificate of this client, with those between it and its authority; without one this client shows none
 * @param key of the certificate, in PKCS#8; if it is not named, it stands in the file of the certificate
 * @param password of an encrypted key and of key stores; may be empty, and is never shown
 */
public record TlsFiles(Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key, String password) {
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", Pattern.DOTALL);
    private static final Pattern KEY = Pattern.compile(
            "-----BEGIN (ENCRYPTED )?PRIVATE KEY-----(.+?)-----END (?:ENCRYPTED )?PRIVATE KEY-----", Pattern.DOTALL);

    /** @throws BackendException if a file cannot be used; the message says which, and why */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identity(), trust(), null);
            return context;
        } catch (GeneralSecurityException | IOException unusable) {
            throw unusable(unusable);
        }
    }

    private TrustManager[] trust() throws GeneralSecurityException, IOException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        if (authorities.isEmpty()) {
            factory.init((KeyStore) null);
            return factory.getTrustManagers();
        }
        factory.init(isKeyStore(authorities.get()) ? keyStore(authorities.get()) : trusted(authorities.get()));
        return factory.getTrustManagers();
    }

    static KeyStore trusted(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        for (Certificate trusted : certificates(file)) {
            store.setCertificateEntry("ca-" + store.size(), trusted);
        }
        return store;
    }

    private KeyManager[] identity() throws GeneralSecurityException, IOException {
        if (certificate.isEmpty()) {
            return new KeyManager[0];
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        Path file = certificate.get();
        factory.init(isKeyStore(file) ? keyStore(file) : own(file), secret());
        return factory.getKeyManagers();
    }

    /**
     * Certificate and key of this client in a key store, for clients that read both from one file.
     *
     * @param storePassword of the key in it
     * @throws BackendException if a file cannot be used; the message says which, and why
     */
    public KeyStore identityStore(String storePassword) {
        try {
            return own(certificate.orElseThrow(), storePassword.toCharArray());
        } catch (GeneralSecurityException | IOException unusable) {
            throw unusable(unusable);
        }
    }

    private static BackendException unusable(Exception why) {
        return new BackendException(
                Effect.NONE,
                Kind.MISCONFIGURED,
                "the TLS files of the store URL cannot be used: " + why.getMessage(),
                why);
    }

    KeyStore own(Path file) throws GeneralSecurityException, IOException {
        return own(file, secret());
    }

    private KeyStore own(Path file, char[] storePassword) throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        Certificate[] chain = certificates(file).toArray(Certificate[]::new);
        store.setKeyEntry("own", privateKey(key.orElse(file)), storePassword, chain);
        return store;
    }

    private char[] secret() {
        return password.toCharArray();
    }

    /** By its name. */
    public static boolean isKeyStore(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".p12") || name.endsWith(".pfx") || name.endsWith(".jks");
    }

    /** Stores without a password can be read without one, but then nothing vouches for their being whole. */
    private KeyStore keyStore(Path file) throws GeneralSecurityException, IOException {
        String type = file.toString().toLowerCase(Locale.ROOT).endsWith(".jks") ? "JKS" : "PKCS12";
        KeyStore store = KeyStore.getInstance(type);
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, secret());
        } catch (IOException unreadable) {
            throw new IOException(file + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
        return store;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, new char[0]);
        return store;
    }

    private static List<Certificate> certificates(Path file) throws GeneralSecurityException, IOException {
        String found = CERTIFICATE
                .matcher(read(file))
                .results()
                .map(match -> match.group())
                .collect(Collectors.joining("\n"));
        if (found.isEmpty()) {
            throw new IOException(file + " holds no certificate");
        }
        byte[] bytes = found.getBytes(StandardCharsets.ISO_8859_1);
        return List.copyOf(
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes)));
    }

    private PrivateKey privateKey(Path file) throws GeneralSecurityException, IOException {
        Matcher found = KEY.matcher(read(file));
        if (!found.find()) {
            throw new IOException(file + " holds no key in PKCS#8 ('BEGIN PRIVATE KEY'); convert it with"
                    + " openssl pkcs8 -topk8 -nocrypt");
        }
        byte[] der = Base64.getMimeDecoder().decode(found.group(2));
        PKCS8EncodedKeySpec encoded = found.group(1) == null ? new PKCS8EncodedKeySpec(der) : decrypted(der);
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException other) {
                // It is a key of another kind.
            }
        }
        throw new IOException(file + " holds a key that is neither EC nor RSA nor Ed25519");
    }

    private PKCS8EncodedKeySpec decrypted(byte[] der) throws GeneralSecurityException, IOException {
        EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(der);
        AlgorithmParameters parameters = encrypted.getAlgParameters();
        boolean newer = encrypted.getAlgName().equals("PBES2"); // whose parameters name the cipher
        String algorithm = newer ? parameters.toString() : encrypted.getAlgName();
        Cipher cipher = Cipher.getInstance(algorithm);
        SecretKeyFactory secrets = SecretKeyFactory.getInstance(algorithm);
        cipher.init(Cipher.DECRYPT_MODE, secrets.generateSecret(new PBEKeySpec(secret())), parameters);
        return encrypted.getKeySpec(cipher);
    }

    private static String read(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException unreadable) {
            throw new IOException(file + " cannot be read", unreadable);
        }
    }

    @Override
    public String toString() {
        return "TLS files " + authorities + ", " + certificate + ", " + key;
    }
}
