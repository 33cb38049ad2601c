// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.support.TlsFiles;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class BundleFilesTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void makeStore() throws Exception {
        Process keytool = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/keytool",
                        "-genkeypair",
                        "-alias",
                        "own",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-keystore",
                        folder.resolve("both.jks").toString(),
                        "-storetype",
                        "JKS",
                        "-storepass",
                        "of-store",
                        "-keypass",
                        "of-key")
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
    }

    private static Map<String, Path> files(String... settings) {
        String[] options = new String[1];
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues(settings)
                .run(context -> options[0] = BundleFiles.of(context.getBean(SslBundles.class), "b"));
        return Arrays.stream(options[0].split("&"))
                .map(option -> option.split("="))
                .collect(Collectors.toMap(
                        option -> option[0], option -> Path.of(URLDecoder.decode(option[1], StandardCharsets.UTF_8))));
    }

    private static Map<String, Path> filesOfStore() {
        return files(
                "spring.ssl.bundle.jks.b.keystore.location=" + folder.resolve("both.jks"),
                "spring.ssl.bundle.jks.b.keystore.password=of-store",
                "spring.ssl.bundle.jks.b.key.password=of-key",
                "spring.ssl.bundle.jks.b.truststore.location=" + folder.resolve("both.jks"),
                "spring.ssl.bundle.jks.b.truststore.password=of-store");
    }

    private static SSLContext context(Map<String, Path> files) {
        return new TlsFiles(
                        Optional.of(files.get("tls.ca")),
                        Optional.of(files.get("tls.cert")),
                        Optional.of(files.get("tls.key")),
                        "")
                .context();
    }

    /** Both sides show a certificate, and trust the other's. */
    private static int greet(SSLContext context) throws Exception {
        try (SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setNeedClientAuth(true);
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> {
                try (Socket called = server.accept()) {
                    called.getOutputStream().write(42);
                } catch (java.io.IOException failure) {
                    throw new java.io.UncheckedIOException(failure);
                }
            });
            try (Socket caller =
                    context.getSocketFactory().createSocket(server.getInetAddress(), server.getLocalPort())) {
                int greeting = caller.getInputStream().read();
                served.join();
                return greeting;
            }
        }
    }

    @Test
    void a_bundle_of_key_stores_with_passwords_reaches_the_backend_as_files() throws Exception {
        assertThat(greet(context(filesOfStore()))).isEqualTo(42);
    }

    @Test
    void a_bundle_of_pem_files_reaches_the_backend_as_files() throws Exception {
        Map<String, Path> pem = filesOfStore();

        Map<String, Path> files = files(
                "spring.ssl.bundle.pem.b.truststore.certificate=file:" + pem.get("tls.ca"),
                "spring.ssl.bundle.pem.b.keystore.certificate=file:" + pem.get("tls.cert"),
                "spring.ssl.bundle.pem.b.keystore.private-key=" + Files.readString(pem.get("tls.key")));

        assertThat(greet(context(files))).isEqualTo(42);
    }

    @Test
    void nobody_else_can_read_the_key() throws Exception {
        Path key = filesOfStore().get("tls.key");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key.getParent())))
                .isEqualTo("rwx------");
    }
}
