// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** An authority, a server and a client, made with openssl for one test. */
record Certificates(Path folder) {
    static Certificates in(Path folder) throws Exception {
        Certificates made = new Certificates(folder);
        made.authority("ca");
        made.authority("stranger");
        made.signed("server", "subjectAltName=IP:127.0.0.1");
        made.signed("elsewhere", "subjectAltName=DNS:example.org");
        made.signed("client", "extendedKeyUsage=clientAuth");
        return made;
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    private void authority(String name) throws Exception {
        run(List.of(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=" + name,
                "-keyout",
                name + ".key",
                "-out",
                name + ".pem"));
    }

    private void signed(String name, String extension) throws Exception {
        run(List.of(
                "openssl",
                "req",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-subj",
                "/CN=" + name,
                "-keyout",
                name + ".key",
                "-out",
                name + ".csr"));
        Files.writeString(file(name + ".ext"), extension + "\n");
        run(List.of(
                "openssl",
                "x509",
                "-req",
                "-in",
                name + ".csr",
                "-CA",
                "ca.pem",
                "-CAkey",
                "ca.key",
                "-CAcreateserial",
                "-days",
                "2",
                "-extfile",
                name + ".ext",
                "-out",
                name + ".pem"));
    }

    private void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() != 0) {
            throw new IllegalStateException("failed: " + String.join(" ", command));
        }
    }
}
