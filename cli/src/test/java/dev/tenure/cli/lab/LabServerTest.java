// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.cli.command.StoreOptions;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LabServerTest {
    private LabServer server;

    @BeforeEach
    void start() throws IOException {
        server = LabServer.start(0, StoreOptions.host());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> get(String path) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.url() + path)).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void the_page_comes_with_all_that_it_needs() throws Exception {
        HttpResponse<String> page = get("");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body())
                .contains("\"hirschberg-sinclair\"", "function serveRuns(", "--alarm")
                .doesNotContain("/*STYLE*/", "/*SCRIPT*/", "/*TRACE*/", "src=\"", "href=\"http");
    }

    @Test
    void a_run_with_faults_is_told_and_is_the_same_again() throws Exception {
        String run = "run?algorithm=bully&nodes=5&seed=3&faults=" + encoded("crash 5@1s; partition 1,2|3-4@2s..3s");

        HttpResponse<String> once = get(run);

        assertThat(once.statusCode()).isEqualTo(200);
        assertThat(once.body()).startsWith("{\"algorithm\":\"bully\"").contains("\"crash 5@1s\"", "\"overlaps\":[{");
        assertThat(get(run).body()).isEqualTo(once.body());
    }

    @Test
    void what_cannot_be_run_is_told_in_a_sentence() throws Exception {
        assertThat(get("run?algorithm=nothing").statusCode()).isEqualTo(400);
        assertThat(get("run?nodes=100").body()).isEqualTo("nodes must be a number from 1 to 99");
        assertThat(get("run?seed=-1").body()).startsWith("seed must be a number");
        assertThat(get("run?faults=" + encoded("explode 1@1s..2s")).body()).startsWith("'explode' is none of");
        assertThat(get("run?faults=" + encoded("crash 9@1s")).statusCode()).isEqualTo(400);
        assertThat(get("run?faults=" + encoded("crash 1@1s;".repeat(101))).body())
                .startsWith("at most 100 faults");
        assertThat(get("elsewhere").statusCode()).isEqualTo(404);
    }

    /** So that a page from elsewhere, under a name that was pointed to this machine, reads nothing. */
    @Test
    void who_asks_under_another_name_is_refused() throws Exception {
        URI url = URI.create(server.url());
        try (Socket socket = new Socket("localhost", url.getPort())) {
            String request = "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));

            String reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(reply).startsWith("HTTP/1.1 403 ");
        }
    }
}
