// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Made with openssl for one test, in its folder: {@code ca.pem} and {@code stranger.pem} are authorities; {@code server},
 * {@code elsewhere} (for another host) and {@code client} are signed by the first and have a {@code .pem} and a {@code .key};
 * {@code client.der} is the client's key as the driver of PostgreSQL wants it.
 */
public record Certificates(Path folder) {
    private static final List<String> NEW_KEY =
            List.of("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes");

    public static Certificates in(Path folder) {
        return in(folder, "client");
    }

    /** @param client the user that the client's certificate names */
    public static Certificates in(Path folder, String client) {
        Certificates made = new Certificates(folder);
        made.authority("ca");
        made.authority("stranger");
        made.signed("server", "server", "subjectAltName=IP:127.0.0.1");
        made.signed("elsewhere", "elsewhere", "subjectAltName=DNS:example.org");
        made.signed("client", client, "extendedKeyUsage=clientAuth");
        made.openssl("pkcs8", "-topk8", "-nocrypt", "-outform", "DER", "-in", "client.key", "-out", "client.der");
        return made;
    }

    public Path file(String name) {
        return folder.resolve(name);
    }

    private void authority(String name) {
        List<String> request = new ArrayList<>(List.of("req", "-x509", "-days", "2", "-subj", "/CN=" + name));
        request.addAll(NEW_KEY);
        request.addAll(List.of("-keyout", name + ".key", "-out", name + ".pem"));
        openssl(request.toArray(String[]::new));
    }

    private void signed(String name, String subject, String extension) {
        List<String> request = new ArrayList<>(List.of("req", "-subj", "/CN=" + subject));
        request.addAll(NEW_KEY);
        request.addAll(List.of("-keyout", name + ".key", "-out", name + ".csr"));
        openssl(request.toArray(String[]::new));
        try {
            Files.writeString(file(name + ".ext"), extension + "\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        List<String> signing = new ArrayList<>(List.of("x509", "-req", "-in", name + ".csr", "-days", "2"));
        signing.addAll(List.of("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"));
        signing.addAll(List.of("-extfile", name + ".ext", "-out", name + ".pem"));
        openssl(signing.toArray(String[]::new));
    }

    private void openssl(String... arguments) {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        ServerProcess.run(command, folder);
    }
}
