// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** PEM files, made with the commands of the documentation. */
final class Certificates {
    private final Path folder;

    Certificates(Path folder) {
        this.folder = folder;
    }

    Certificates authority(String name) throws IOException, InterruptedException {
        openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" + name + " -keyout "
                + name + ".key -out " + name + ".pem");
        return this;
    }

    /** For a process at this address of this machine. */
    Certificates signed(String file, String commonName, String authority, int days)
            throws IOException, InterruptedException {
        openssl("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" + commonName
                + " -addext subjectAltName=IP:127.0.0.1 -keyout " + file + ".key -out " + file + ".csr");
        openssl("x509 -req -in " + file + ".csr -CA " + authority + ".pem -CAkey " + authority
                + ".key -CAcreateserial -copy_extensions copy -days " + days + " -out " + file + ".pem");
        return this;
    }

    /** @param file {@code {me}} for the certificate of each member */
    String options(String authority, String file) {
        return "tls.ca=" + folder.resolve(authority + ".pem") + "&tls.cert=" + folder.resolve(file + ".pem")
                + "&tls.key=" + folder.resolve(file + ".key");
    }

    private void openssl(String arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments.split(" ", -1)));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor()).as(arguments).isZero();
    }
}
