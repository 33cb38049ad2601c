// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import dev.tenure.spring.TenureConfigurationException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;

/**
 * An SSL bundle as the files that backends read, whatever it was made of and whatever passwords it had: PEM in a temporary folder that is open to
 * this user alone, and deleted when the process ends, unless it is killed.
 */
record BundleFiles(Path folder, List<String> options) {
    /** The options for the URL of a store. */
    static String of(SslBundles bundles, String name) {
        try {
            SslBundle bundle = bundles.getBundle(name);
            BundleFiles files = new BundleFiles(Files.createTempDirectory("tenure-tls"), new ArrayList<>());
            files.folder.toFile().deleteOnExit();
            files.writeTrusted(bundle.getStores().getTrustStore());
            files.writeOwn(bundle.getStores(), bundle.getKey());
            return String.join("&", files.options);
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw new TenureConfigurationException(
                    "the SSL bundle '" + name + "' cannot be used",
                    "look at spring.ssl.bundle and tenure.ssl.bundle (" + unusable.getMessage() + ")",
                    unusable);
        }
    }

    private void writeTrusted(@Nullable KeyStore store) throws IOException, GeneralSecurityException {
        if (store != null) {
            List<Certificate> trusted = new ArrayList<>();
            for (String alias : Collections.list(store.aliases())) {
                trusted.add(store.getCertificate(alias));
            }
            write("tls.ca", pem(trusted));
        }
    }

    private void writeOwn(SslStoreBundle stores, SslBundleKey key) throws IOException, GeneralSecurityException {
        KeyStore store = stores.getKeyStore();
        if (store != null) {
            String alias =
                    key.getAlias() != null ? key.getAlias() : store.aliases().nextElement();
            String password = key.getPassword() != null ? key.getPassword() : stores.getKeyStorePassword();
            Key own = Objects.requireNonNull(
                    store.getKey(alias, password == null ? null : password.toCharArray()), "no key " + alias);
            write("tls.cert", pem(List.of(store.getCertificateChain(alias))));
            write("tls.key", pem("PRIVATE KEY", own.getEncoded()));
        }
    }

    private void write(String option, String pem) throws IOException {
        Path file = Files.writeString(folder.resolve(option + ".pem"), pem);
        file.toFile().deleteOnExit();
        options.add(option + "=" + URLEncoder.encode(file.toString(), StandardCharsets.UTF_8));
    }

    private static String pem(List<Certificate> certificates) throws GeneralSecurityException {
        StringBuilder text = new StringBuilder();
        for (Certificate certificate : certificates) {
            text.append(pem("CERTIFICATE", certificate.getEncoded()));
        }
        return text.toString();
    }

    private static String pem(String what, byte[] bytes) {
        String body = Base64.getMimeEncoder().encodeToString(bytes);
        return "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n";
    }
}
