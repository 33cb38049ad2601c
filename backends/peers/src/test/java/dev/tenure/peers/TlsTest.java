package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that know each other by certificates. */
class TlsTest {
    @TempDir
    private Path folder;

    private Trio trio = new Trio("");

    @BeforeEach
    void start() throws Exception {
        authority("ca");
        authority("stranger");
        signed("member", "ca");
        signed("other", "stranger");
        trio = Trio.started(options("ca", "member"));
    }

    @AfterEach
    void close() {
        trio.close();
    }

    private String options(String authority, String member) {
        return "tls.ca=" + folder.resolve(authority + ".pem") + "&tls.cert=" + folder.resolve(member + ".pem")
                + "&tls.key=" + folder.resolve(member + ".key");
    }

    @Test
    void a_group_elects_over_encrypted_lines() {
        try (Stander stander = Stander.at(trio.door("a"))) {
            assertThat(stander.awaitGrant().token().value()).isPositive();
        }
    }

    @Test
    void a_certificate_of_another_authority_makes_no_member() {
        trio.stop("a");
        await().until(() ->
                trio.group("b").member().orElseThrow().outbox().reached().equals(java.util.Set.of(3)));

        Trio.Outsider outsider = trio.outsider("a", options("ca", "other"));

        assertThat(outsider.missing()).isNotBlank();
        assertThat(trio.group("b").member().orElseThrow().outbox().reached()).doesNotContain(1);
        outsider.close();
    }

    @Test
    void who_speaks_without_tls_is_told_what_is_missing() {
        trio.stop("a");

        Trio.Outsider outsider = trio.outsider("a", "insecure=true");

        assertThat(outsider.missing()).contains("b@", "c@", "name tls.ca, tls.cert and tls.key everywhere");
        outsider.close();
    }

    @Test
    void a_member_that_is_called_and_has_the_wrong_certificate_is_told_why_nobody_reaches_it() {
        trio.stop("c");

        Trio.Outsider outsider = trio.outsider("c", options("ca", "other"));

        assertThat(outsider.missing()).contains("it has not called yet, unless it was refused: ", "ertificate");
        outsider.close();
    }

    private void authority(String name) throws IOException, InterruptedException {
        openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" + name + " -keyout "
                + name + ".key -out " + name + ".pem");
    }

    private void signed(String name, String authority) throws IOException, InterruptedException {
        openssl("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" + name + " -keyout " + name
                + ".key -out " + name + ".csr");
        Files.writeString(folder.resolve(name + ".ext"), "subjectAltName=IP:127.0.0.1\n");
        openssl("x509 -req -in " + name + ".csr -CA " + authority + ".pem -CAkey " + authority
                + ".key -CAcreateserial -days 2 -extfile " + name + ".ext -out " + name + ".pem");
    }

    private void openssl(String arguments) throws IOException, InterruptedException {
        List<String> command = new java.util.ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments.split(" ", -1)));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor()).as(arguments).isZero();
    }
}
