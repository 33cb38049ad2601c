package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Hint;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.sql.servers.Postgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a notification of PostgreSQL tells, and that nobody can use it to take what is not vacant. */
class WordsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final List<String> OTHERS = List.of("s/mine", "e");
    private static final int MANY = 40;

    private final Postgres server = SharedServers.postgres();
    private final Map<String, Hint> heard = new ConcurrentHashMap<>();

    private Client client(String namespace) {
        return Client.of(inNamespace(server.url(), namespace));
    }

    private static Write saying(Versioned expected, String value, String word) {
        return new Write(expected, value, Optional.empty(), 0, word, List.of());
    }

    private static CompletionStage<WriteReply> claim(Client client, Versioned expected) {
        return client.store().compareAndSet(new Write(expected, "mine", Optional.empty(), 1, "", OTHERS));
    }

    private static Versioned applied(CompletionStage<WriteReply> write) {
        WriteReply reply = Client.reply(write);
        assertThat(reply).isInstanceOf(WriteReply.Applied.class);
        return ((WriteReply.Applied) reply).now();
    }

    private Watch listening(Client client) {
        Watch watch = client.store().listen("c/", hint -> heard.put(hint.key(), hint));
        Awaitility.await("the first notification").atMost(PATIENCE).until(() -> {
            client.write(client.read("c/first"), "until it listens");
            return heard.containsKey("c/first");
        });
        return watch;
    }

    private Hint awaitHint(String key) {
        Awaitility.await(key).atMost(PATIENCE).until(() -> heard.containsKey(key));
        return heard.get(key);
    }

    @Test
    void the_word_of_a_write_is_told_with_its_version() {
        try (Client client = client("words");
                Watch watch = listening(client)) {
            assertThat(watch).isNotNull();
            Versioned created = applied(client.store().compareAndSet(saying(client.read("c/a"), "held", "a\nword")));

            Versioned told = awaitHint("c/a").told().orElseThrow();
            heard.clear();
            Versioned changed = applied(client.store().compareAndSet(saying(created, "vacant", "vacant")));

            assertThat(told.version()).isEqualTo(created.version());
            assertThat(told.value()).isEqualTo("a\nword");
            assertThat(awaitHint("c/a").told().orElseThrow().version()).isEqualTo(changed.version());
        }
    }

    @Test
    void the_words_of_many_that_are_written_together_are_told() {
        try (Client client = client("words_together");
                Watch watch = listening(client)) {
            assertThat(watch).isNotNull();
            List<CompletionStage<WriteReply>> writes = IntStream.range(0, MANY)
                    .mapToObj(i -> client.store()
                            .compareAndSet(saying(Versioned.absent("c/many" + i, 0), "held", "word " + i)))
                    .toList();
            List<Versioned> created = writes.stream().map(WordsTest::applied).toList();
            created.forEach(one -> awaitHint(one.key()));
            heard.clear();
            List<CompletionStage<WriteReply>> releases = new ArrayList<>();
            created.forEach(one ->
                    releases.add(client.store().compareAndSet(saying(one, "vacant", "of " + one.key()))));
            releases.forEach(WordsTest::applied);

            created.forEach(
                    one -> assertThat(awaitHint(one.key()).told().orElseThrow().value())
                            .isEqualTo("of " + one.key()));
        }
    }

    @Test
    void a_word_that_is_too_long_for_a_notification_is_left_out() {
        try (Client client = client("words_long");
                Watch watch = listening(client)) {
            assertThat(watch).isNotNull();

            applied(client.store().compareAndSet(saying(client.read("c/long"), "held", "x".repeat(7000))));

            assertThat(awaitHint("c/long").told()).isEmpty();
        }
    }

    @Test
    void a_claim_by_a_word_that_was_made_up_is_refused_although_the_version_is_right() {
        try (Client client = client("words_forged")) {
            Versioned held = client.write(client.read("c/a"), "held by the living");
            Versioned told = new Versioned("c/a", held.version(), "vacant", Optional.empty(), 0);

            WriteReply reply = Client.reply(claim(client, told));

            assertThat(((WriteReply.Refused) reply).current().value()).isEqualTo("held by the living");
        }
    }

    @Test
    void many_claims_by_words_that_were_made_up_are_refused_together() {
        try (Client client = client("words_forged_together")) {
            List<Versioned> held = IntStream.range(0, MANY)
                    .mapToObj(i -> client.write(client.read("c/many" + i), "held by the living"))
                    .toList();

            List<CompletionStage<WriteReply>> claims = held.stream()
                    .map(one -> claim(client, new Versioned(one.key(), one.version(), "vacant", Optional.empty(), 0)))
                    .toList();

            claims.forEach(one -> assertThat(Client.reply(one)).isInstanceOf(WriteReply.Refused.class));
        }
    }
}
