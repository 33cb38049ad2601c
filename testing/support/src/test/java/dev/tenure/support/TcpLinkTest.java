// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TcpLinkTest {
    private volatile String heard = "";
    private final LineServer server = new LineServer(noting());
    private final TcpLink link = new TcpLink(server.port());

    private UnaryOperator<String> noting() {
        return line -> {
            heard = line;
            return "answer to " + line;
        };
    }

    @AfterEach
    void close() {
        link.close();
        server.close();
    }

    @Test
    void what_a_cut_link_held_back_comes_through_when_it_heals() throws Exception {
        LineClient client = new LineClient(link.port());
        assertThat(client.ask("one")).isEqualTo("answer to one");

        link.cut();
        CompletableFuture<String> answer = asking(client, "two");
        assertThatThrownBy(() -> answer.get(200, TimeUnit.MILLISECONDS))
                .isInstanceOf(java.util.concurrent.TimeoutException.class);
        assertThat(heard).isEqualTo("one");

        link.heal();
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("answer to two");
    }

    @Test
    void requests_take_effect_while_only_answers_are_held_back() throws Exception {
        LineClient client = new LineClient(link.port());

        link.become(NetworkConditions.NO_ANSWERS);
        CompletableFuture<String> answer = asking(client, "one");
        Awaitility.await("the request").until(() -> heard.equals("one"));
        assertThat(answer).isNotDone();

        link.heal();
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("answer to one");
    }

    @Test
    void a_slow_answer_is_late_by_what_was_asked_for() throws Exception {
        LineClient client = new LineClient(link.port());
        link.become(NetworkConditions.slow(Duration.ofMillis(300)));
        long beforeNanos = System.nanoTime();

        client.ask("one");

        assertThat(System.nanoTime() - beforeNanos).isGreaterThanOrEqualTo(300_000_000);
    }

    @Test
    void closed_connections_end_and_new_ones_work() throws Exception {
        LineClient client = new LineClient(link.port());
        client.ask("one");

        link.closeConnections();

        assertThatThrownBy(() -> client.ask("two")).isInstanceOf(IOException.class);
        assertThat(new LineClient(link.port()).ask("three")).isEqualTo("answer to three");
    }

    private static CompletableFuture<String> asking(LineClient client, String request) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return client.ask(request);
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        });
    }
}
