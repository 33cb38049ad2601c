package dev.tenure.contract;

import static dev.tenure.contract.StoreClient.absent;
import static dev.tenure.contract.StoreClient.applied;
import static dev.tenure.contract.StoreClient.claiming;
import static dev.tenure.contract.StoreClient.refused;
import static dev.tenure.contract.StoreClient.saying;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.spi.Hint;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What hints tell beside a key. A word may be late, doubled or lost, so each case writes until one has come, and none asks for
 * an order. But what is told was said, of this very write; and nobody can use it to take what is not vacant.
 */
abstract class WordCases extends HintCases {
    private static final int MANY = 40;
    private static final int WRITES = 30;
    private static final int KEY_CHARS_MAX = 700;
    private static final String SILENT = "a value of which nobody is told ";

    private final AtomicInteger count = new AtomicInteger();
    private final Map<Writing, String> words = new ConcurrentHashMap<>();

    private record Writing(String key, Optional<String> version) {}

    @Test
    void the_word_of_a_write_is_told_to_another_client_with_its_version() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();

        try (Watch watch = hearing.listen("c/", listener)) {
            assertThat(watch).isNotNull();
            sayUntilTold(writer, "c/a", listener);
        }

        assertOnlyWhatWasSaid(listener);
    }

    @Test
    void the_word_of_a_write_is_told_to_the_same_client() {
        StoreClient client = telling();
        Listener listener = new Listener();

        try (Watch watch = client.listen("c/", listener)) {
            assertThat(watch).isNotNull();
            sayUntilTold(client, "c/a", listener);
        }

        assertOnlyWhatWasSaid(listener);
    }

    @Test
    void the_word_of_a_creation_is_told() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();

        try (Watch watch = hearing.listen("c/", listener)) {
            assertThat(watch).isNotNull();
            writer.patience().until("the word of a creation", () -> {
                Versioned created = say(writer, absent("c/new" + count.incrementAndGet()), "created");
                return isTold(writer, created, listener);
            });
        }

        assertOnlyWhatWasSaid(listener);
    }

    @Test
    void a_write_that_says_nothing_tells_no_more_than_its_key() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();

        try (Watch watch = hearing.listen("c/", listener)) {
            assertThat(watch).isNotNull();
            sayUntilTold(writer, "c/loud", listener);
            writer.patience().until("a hint of a silent write", () -> {
                writer.put("c/silent", SILENT + count.incrementAndGet());
                return writer.patience().within(HINT_WITHIN, () -> listener.hasHeardOf("c/silent"));
            });
            sayUntilTold(writer, "c/last", listener);
        }

        assertThat(listener.toldOf("c/silent")).isEmpty();
        assertOnlyWhatWasSaid(listener);
    }

    @Test
    void the_word_of_a_write_that_is_refused_is_not_told() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();
        Versioned old = writer.create("c/a", "one");
        Versioned standing = applied(writer.write(old, "two"));
        Versioned gone = writer.create("o/gone", "one");
        applied(writer.delete(gone));

        try (Watch claims = hearing.listen("c/", listener);
                Watch requests = hearing.listen("o/", listener)) {
            assertThat(List.of(claims, requests)).isNotEmpty();
            sayUntilTold(writer, "c/before", listener);
            refused(writer.write(saying(old, "late", "of an older version")));
            refused(writer.write(saying(absent("c/a"), "late", "of a creation")));
            refused(writer.write(saying(gone, "late", "of a record that is gone")));
            refused(writer.write(new Write(old, "late", Optional.empty(), 1, "of a claim", List.of("s/a", "e"))));
            sayUntilTold(writer, "c/after", listener);
            sayUntilTold(writer, "o/after", listener);
        }

        assertThat(listener.toldOf("c/a")).isEmpty();
        assertThat(listener.toldOf("o/gone")).isEmpty();
        assertOnlyWhatWasSaid(listener);
        assertSameRecord(writer.read("c/a"), standing);
    }

    @Test
    void many_that_are_written_at_once_have_each_its_own_word() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();

        try (Watch watch = hearing.listen("c/", listener)) {
            assertThat(watch).isNotNull();
            sayUntilTold(writer, "c/first", listener);
            writer.patience().until("a word of each of many", () -> {
                List<Versioned> written = sayAtOnce(writer);
                return writer.patience()
                        .within(
                                HINT_WITHIN,
                                () -> written.stream()
                                        .allMatch(one -> listener.wasTold(
                                                one.key(), one.version().orElseThrow())));
            });
        }

        assertOnlyWhatWasSaid(listener);
    }

    private List<Versioned> sayAtOnce(StoreClient writer) {
        List<Versioned> standing = IntStream.range(0, MANY)
                .mapToObj(i -> writer.read("c/many" + i))
                .toList();
        List<String> words = standing.stream()
                .map(one -> one.key() + count.incrementAndGet())
                .toList();
        List<CompletionStage<WriteReply>> writes = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            writes.add(writer.store().compareAndSet(saying(standing.get(i), SILENT, words.get(i))));
        }
        List<Versioned> written = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            written.add(said(applied(writer.patience().reply(writes.get(i))), words.get(i)));
        }
        return written;
    }

    @Test
    void a_word_is_told_as_it_was_said_or_not_at_all() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();
        Map<String, String> odd = new LinkedHashMap<>();
        odd.put("c/spaces", "  in front and behind  ");
        odd.put("c/lines", "\n\none\ntwo\r\nthree\n\n");
        odd.put("c/quotes", "it's \"quoted\" \\ $1 %s {} <>&; -- ? :a /* ' || '");
        odd.put("c/unicode", "Größe 東京 עברית \u202e \ud83d\ude80 e\u0301");
        odd.put("c/" + "x".repeat(KEY_CHARS_MAX - 2), "y".repeat(6_000));
        for (int chars : List.of(1_000, 3_000, 4_000, 5_999, 6_001, 7_999, 8_000, 26_000, 50_000)) {
            odd.put("c/ascii" + chars, "x".repeat(chars));
            odd.put("c/wide" + chars, "\u00e9".repeat(chars));
        }

        try (Watch watch = hearing.listen("c/", listener)) {
            assertThat(watch).isNotNull();
            odd.forEach((key, word) -> writer.patience().until("a hint of " + key, () -> {
                Versioned written = say(writer, writer.read(key), word);
                assertSameRecord(writer.read(key), written);
                return writer.patience().within(HINT_WITHIN, () -> listener.hasHeardOf(key));
            }));
            sayUntilTold(writer, "c/last", listener);
        }

        assertOnlyWhatWasSaid(listener);
    }

    @Test
    void a_word_is_about_a_key_of_the_prefix() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();

        try (Watch watch = hearing.listen("o/", listener)) {
            assertThat(watch).isNotNull();
            say(writer, writer.read("c/a"), "of a claim");
            say(writer, writer.read("s/a"), "of a session");
            say(writer, writer.read("e"), "of the era");
            sayUntilTold(writer, "o/a", listener);
        }

        assertThat(listener.keys()).as("its keys, or all of them at once").isSubsetOf("o/a", "o/");
    }

    @Test
    void a_word_is_told_in_its_own_namespace() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        StoreClient elsewhere = lab.elsewhere();
        Listener here = new Listener();
        Listener there = new Listener();

        try (Watch watch = hearing.listen("c/", here);
                Watch other = elsewhere.listen("c/", there)) {
            assertThat(List.of(watch, other)).isNotEmpty();
            sayUntilTold(elsewhere, "c/there", there);
            sayUntilTold(writer, "c/here", here);
            sayUntilTold(elsewhere, "c/there-again", there);
            sayUntilTold(writer, "c/here-again", here);
        }

        assertThat(there.hasHeardOf("c/here")).isFalse();
        assertThat(here.hasHeardOf("c/there-again")).isFalse();
    }

    @Test
    void who_has_closed_hears_no_word_any_more_and_the_others_do() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener closing = new Listener();
        Listener staying = new Listener();
        Watch closed = hearing.listen("c/", closing);

        try (Watch open = hearing.listen("c/", staying)) {
            assertThat(open).isNotNull();
            sayUntilTold(writer, "c/before", closing);
            closed.close();
            closed.close();
            sayUntilTold(writer, "c/after", staying);
        }

        assertThat(closing.hasHeardOf("c/after")).isFalse();
    }

    @Test
    void a_write_with_a_word_is_a_change_to_those_who_only_watch() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();
        Queue<String> watched = new ConcurrentLinkedQueue<>();

        try (Watch listening = hearing.listen("c/", listener);
                Watch watching = hearing.watch("c/", watched::add)) {
            assertThat(List.of(listening, watching)).isNotEmpty();
            writer.patience().until("both have heard of it", () -> {
                say(writer, writer.read("c/a"), "for everybody");
                return writer.patience()
                        .within(HINT_WITHIN, () -> watched.contains("c/a") && listener.hasHeardOf("c/a"));
            });
        }
    }

    @Test
    void what_is_told_has_been_written_before() {
        record Look(Versioned told, CompletionStage<Versioned> read) {}
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Queue<Look> looks = new ConcurrentLinkedQueue<>();
        Consumer<Hint> looking = hint -> hint.told()
                .ifPresent(told -> looks.add(new Look(told, hearing.store().read(told.key()))));
        List<Optional<String>> versions = new ArrayList<>();

        try (Watch watch = hearing.listen("c/", looking)) {
            assertThat(watch).isNotNull();
            writer.patience().until("a word that was looked after", () -> {
                for (int i = 0; i < WRITES; i++) {
                    versions.add(say(writer, writer.read("c/a"), "word " + i).version());
                }
                return writer.patience().within(HINT_WITHIN, () -> !looks.isEmpty());
            });
        }

        looks.forEach(look -> assertThat(
                        versions.indexOf(hearing.patience().reply(look.read).version()))
                .as("what a look shows after the word of it, or something later")
                .isGreaterThanOrEqualTo(versions.indexOf(look.told.version())));
    }

    @Test
    void what_was_told_can_be_taken_without_having_been_read() {
        StoreClient hearing = telling();
        StoreClient writer = lab.open();
        Listener listener = new Listener();
        writer.create("s/mine", "open");
        writer.create("e", "era");

        try (Watch watch = hearing.listen("c/", listener)) {
            assertThat(watch).isNotNull();
            writer.patience().until("the word of a release", () -> {
                Versioned vacant = applied(writer.write(saying(writer.read("c/a"), "vacant\n", "vacant\n")));
                return isTold(writer, said(vacant, "vacant\n"), listener);
            });
        }
        List<Versioned> told = listener.toldOf("c/a");
        Versioned last = told.get(told.size() - 1);

        Versioned taken = applied(hearing.write(claiming(last, "mine", List.of("s/mine", "e"))));

        assertSameRecord(writer.read("c/a"), taken);
    }

    @Test
    void what_was_made_up_takes_nothing_although_its_version_is_right() {
        StoreClient client = telling();
        List<String> others = List.of("s/mine", "e", "o/a", "s/none", "s/more");
        others.subList(0, 3).forEach(key -> client.create(key, "here"));

        for (int shown = 1; shown <= others.size(); shown++) {
            Versioned held = client.create("c/" + shown, "held by the living");
            for (String value : List.of("vacant", "")) {
                Versioned current =
                        refused(client.write(claiming(otherwise(held, value), "mine", others.subList(0, shown))));

                assertSameRecord(current, held);
                assertSameRecord(client.read(held.key()), held);
            }
        }
    }

    @Test
    void of_many_at_once_those_that_were_made_up_take_nothing() {
        StoreClient client = telling();
        List<String> others = List.of("s/mine", "e");
        others.forEach(key -> client.create(key, "here"));
        List<Versioned> standing = IntStream.range(0, MANY)
                .mapToObj(i -> client.create("c/many" + i, "as it stands"))
                .toList();
        List<String> values = List.of("as it stands", "vacant", "");

        List<CompletionStage<WriteReply>> claims = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Versioned expected = otherwise(standing.get(i), values.get(i % values.size()));
            claims.add(client.store().compareAndSet(claiming(expected, "mine", others)));
        }
        List<WriteReply> replies = claims.stream().map(client.patience()::reply).toList();

        for (int i = 0; i < MANY; i++) {
            if (i % values.size() == 0) {
                assertSameRecord(client.read("c/many" + i), applied(replies.get(i)));
            } else {
                assertSameRecord(refused(replies.get(i)), standing.get(i));
                assertSameRecord(client.read("c/many" + i), standing.get(i));
            }
        }
    }

    private void sayUntilTold(StoreClient writer, String key, Listener listener) {
        writer.patience().until("a word of " + key, () -> {
            String word = "a word\nof two lines, number " + count.incrementAndGet();
            return isTold(writer, say(writer, writer.read(key), word), listener);
        });
    }

    private boolean isTold(StoreClient writer, Versioned written, Listener listener) {
        String version = written.version().orElseThrow();
        boolean told = writer.patience().within(HINT_WITHIN, () -> listener.wasTold(written.key(), version));
        assertOnlyWhatWasSaid(listener);
        return told;
    }

    private Versioned say(StoreClient writer, Versioned expected, String word) {
        String value = SILENT + count.incrementAndGet();
        return said(applied(writer.write(saying(expected, value, word))), word);
    }

    private Versioned said(Versioned written, String word) {
        words.put(new Writing(written.key(), written.version()), word);
        return written;
    }

    /** Nothing of another write, nothing that is only a part, and nothing that was never said. */
    private void assertOnlyWhatWasSaid(Listener listener) {
        for (Hint hint : listener.tellings()) {
            Versioned told = hint.told().orElseThrow();
            assertThat(told.key()).as("whose record is told").isEqualTo(hint.key());
            assertThat(told.value())
                    .as("what is told of version " + told.version() + " of " + told.key())
                    .isEqualTo(words.get(new Writing(told.key(), told.version())));
        }
    }

    private StoreClient telling() {
        StoreClient client = notified();
        assumeTrue(overridesListen(client.store()), "this store does not override listen: its hints tell no words");
        return client;
    }

    private static boolean overridesListen(LeaseStore store) {
        try {
            Method listen = store.getClass().getMethod("listen", String.class, Consumer.class);
            return listen.getDeclaringClass() != LeaseStore.class;
        } catch (NoSuchMethodException impossible) {
            throw new AssertionError("every store can be listened to", impossible);
        }
    }
}
