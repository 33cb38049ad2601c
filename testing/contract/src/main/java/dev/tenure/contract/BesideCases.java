package dev.tenure.contract;

import static dev.tenure.contract.StoreClient.absent;
import static dev.tenure.contract.StoreClient.applied;
import static dev.tenure.contract.StoreClient.claiming;
import static dev.tenure.contract.StoreClient.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Other records that a write is asked to show. A store may always leave them out; but what it shows is all of them, and as
 * they stood at the very moment at which the write was applied: a claim is believed by it.
 */
abstract class BesideCases extends WordCases {
    private static final int ROUNDS = 40;
    private static final int CLAIMS = 8;
    /** A record with so much life is not gone before a slow machine has looked at it. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final List<String> OTHERS = List.of("s/mine", "e");

    @Test
    void a_write_that_says_something_and_asks_for_others_is_applied_as_any_other() {
        StoreClient client = lab.open();
        StoreClient other = lab.open();
        client.create("s/mine", "open");

        Versioned created = applied(client.write(asking(absent("c/a"), "one")));
        assertSameRecord(other.read("c/a"), created);
        Versioned changed = applied(other.write(asking(created, "two")));
        assertSameRecord(client.read("c/a"), changed);

        assertSameRecord(refused(client.write(asking(created, "late"))), changed);
        assertSameRecord(refused(client.write(asking(absent("c/a"), "late"))), changed);
        assertSameRecord(client.read("c/a"), changed);
        assertThat(refused(client.write(asking(otherwise(created, "gone", "c/gone"), "late")))
                        .isPresent())
                .isFalse();
        assertThat(client.read("c/gone").isPresent()).isFalse();
    }

    private static Write asking(Versioned expected, String value) {
        return new Write(expected, value, Optional.empty(), 1, "a word\nof " + value, OTHERS);
    }

    private static Versioned otherwise(Versioned record, String value, String key) {
        return new Versioned(key, record.version(), value, record.life(), record.clockMillis());
    }

    @Test
    void a_write_that_is_applied_shows_the_others_as_they_stand() {
        StoreClient client = showing();
        StoreClient other = lab.open();
        Duration ttl = Scale.ttl(LONG, client.traits());
        Versioned vacant = client.create("c/a", "vacant");
        Versioned session = other.create("s/mine", "open", ttl);
        Versioned era = other.create("e", "the era\nand more");

        List<Versioned> all = showAtLast(client, vacant, OTHERS);

        Versioned shown = shown("s/mine", all).orElseThrow();
        assertSameRecord(shown, session);
        assertSameRecord(shown("e", all).orElseThrow(), era);
        if (client.traits().judge() == ExpiryJudge.SERVER_TIME) {
            assertThat(shown.life().orElseThrow()).isBetween(Duration.ofNanos(1), ttl);
        }
        assertThat(shown("e", all).orElseThrow().life()).isEmpty();
    }

    @Test
    void what_another_client_has_just_written_is_shown() {
        StoreClient client = showing();
        StoreClient other = lab.open();
        Versioned session = other.create("s/mine", "0");
        Versioned claim = client.create("c/a", "0");
        client.create("e", "era");

        for (int i = 1; i <= ROUNDS; i++) {
            session = applied(other.write(session, Integer.toString(i)));
            WriteReply.Applied reply = claim(client, claim, OTHERS);
            claim = reply.now();
            Versioned acknowledged = session;
            shown("s/mine", reply.beside()).ifPresent(now -> assertSameRecord(now, acknowledged));
        }
    }

    @Test
    void any_number_of_others_is_shown_or_none_of_them() {
        StoreClient client = showing();
        String longest = "s/" + "x".repeat(698);
        List<String> keys =
                List.of("s/a", "s/a_b", "s/none", "e", "s/a.b", "s/a%5fb", "o/%", longest, "c/other", "s/a-b", "c/no");
        List<String> standing = new ArrayList<>(keys);
        standing.removeAll(List.of("s/none", "c/no"));
        standing.forEach(key -> client.create(key, "value of " + key));

        for (int first = 0; first < keys.size(); first++) {
            for (int behind = first + 1; behind <= keys.size(); behind++) {
                List<String> others = keys.subList(first, behind);
                Versioned vacant = client.create("c/" + first + "-" + behind, "vacant");
                show(client, vacant, others)
                        .forEach(one -> assertThat(one.value())
                                .as(one.key())
                                .isEqualTo(standing.contains(one.key()) ? "value of " + one.key() : ""));
            }
        }
    }

    @Test
    void a_write_that_is_refused_changes_nothing_and_one_that_is_applied_leaves_the_others_alone() {
        StoreClient client = showing();
        Versioned session = client.create("s/mine", "open");
        Versioned era = client.create("e", "era");
        Versioned first = client.create("c/a", "one");
        Versioned second = claim(client, first, OTHERS).now();

        Versioned current = refused(client.write(claiming(first, "late", OTHERS)));

        assertSameRecord(current, second);
        assertSameRecord(client.read("c/a"), second);
        assertSameRecord(client.read("s/mine"), session);
        assertSameRecord(client.read("e"), era);
    }

    @Test
    void what_is_shown_does_not_live_longer_by_that() {
        StoreClient client = showing();
        assumeFalse(client.traits().judge() == ExpiryJudge.OBSERVER, "this store judges no expiry");
        client.create("s/mine", "open", lab.ttl(client));
        client.create("e", "era");
        Versioned[] claim = {client.create("c/a", "vacant")};

        client.patience().until("what is shown all the time has expired", () -> {
            WriteReply.Applied reply = claim(client, claim[0], OTHERS);
            claim[0] = reply.now();
            return isOver(client.read("s/mine"));
        });

        shown("s/mine", show(client, claim[0], OTHERS))
                .ifPresent(late ->
                        assertThat(isOver(late)).as("it is shown as expired").isTrue());
    }

    private static boolean isOver(Versioned record) {
        return !record.isPresent() || record.hasExpired();
    }

    @Test
    void a_write_with_a_time_to_live_has_it_also_if_it_shows_others() {
        StoreClient client = showing();
        assumeFalse(client.traits().judge() == ExpiryJudge.OBSERVER, "this store judges no expiry");
        Duration ttl = lab.ttl(client);
        OTHERS.forEach(key -> client.create(key, "here"));
        Versioned first = client.create("s/a", "open");

        applied(client.write(new Write(first, "renewed", Optional.of(ttl), 0, "", OTHERS)));

        client.patience().until("the record has expired", () -> isOver(client.read("s/a")));
    }

    @Test
    void what_was_deleted_before_a_write_is_not_shown_beside_it() {
        StoreClient claimer = showing();
        StoreClient rival = lab.open();
        claimer.create("e", "era");

        for (int i = 0; i < ROUNDS; i++) {
            Versioned vacant = claimer.create("c/" + i, "vacant");
            Versioned session = claimer.create("s/" + i, "open");
            CompletableFuture<Versioned> seen = Crew.start("contract-rival", () -> {
                applied(rival.delete(session));
                return rival.read(vacant.key());
            });
            List<Versioned> all = show(claimer, vacant, List.of(session.key(), "e"));

            if (isAs(claimer.patience().reply(seen), vacant)) {
                shown(session.key(), all)
                        .ifPresent(late -> assertThat(late.isPresent())
                                .as("deleted while the claim was still vacant, and shown beside it")
                                .isFalse());
            }
        }
    }

    @Test
    void what_is_deleted_after_a_write_is_not_missing_beside_it() {
        StoreClient claimer = showing();
        StoreClient rival = lab.open();
        claimer.create("e", "era");

        for (int i = 0; i < ROUNDS; i++) {
            Versioned vacant = claimer.create("c/" + i, "vacant");
            Versioned session = claimer.create("s/" + i, "open");
            CompletableFuture<WriteReply> deletion = Crew.start("contract-rival", () -> {
                rival.patience().until("the claim is written", () -> !isAs(rival.read(vacant.key()), vacant));
                return rival.delete(session);
            });
            List<Versioned> all = show(claimer, vacant, List.of(session.key(), "e"));

            applied(claimer.patience().reply(deletion));
            shown(session.key(), all).ifPresent(stood -> assertSameRecord(stood, session));
        }
    }

    @Test
    void what_was_created_before_a_write_is_not_missing_beside_it() {
        StoreClient claimer = showing();
        StoreClient rival = lab.open();
        claimer.create("e", "era");

        for (int i = 0; i < ROUNDS; i++) {
            Versioned vacant = claimer.create("c/" + i, "vacant");
            String session = "s/" + i;
            CompletableFuture<Versioned> seen = Crew.start("contract-rival", () -> {
                rival.create(session, "open");
                return rival.read(vacant.key());
            });
            List<Versioned> all = show(claimer, vacant, List.of(session, "e"));

            if (isAs(claimer.patience().reply(seen), vacant)) {
                shown(session, all)
                        .ifPresent(early -> assertThat(early.isPresent())
                                .as("it stood while the claim was still vacant, and is missing beside it")
                                .isTrue());
            }
        }
    }

    @Test
    void many_writes_that_show_one_record_hinder_neither_each_other_nor_its_renewal() {
        List<StoreClient> clients = new ArrayList<>(List.of(showing()));
        clients.addAll(lab.open(2));
        StoreClient owner = clients.get(0);
        Duration ttl = Scale.ttl(LONG, owner.traits());
        owner.create("e", "era");
        Versioned opened = owner.create("s/mine", "0", ttl);
        for (int thread = 1; thread < CLAIMS; thread++) {
            owner.create("c/" + thread, "vacant");
        }

        List<Versioned> last = Crew.together(CLAIMS, owner.patience(), thread -> {
            StoreClient client = clients.get(thread % clients.size());
            Versioned now = thread == 0 ? opened : client.read("c/" + thread);
            for (int i = 0; i < ROUNDS; i++) {
                now = thread == 0
                        ? applied(client.write(now, Integer.toString(i), ttl))
                        : claim(client, now, OTHERS).now();
            }
            return now;
        });

        last.forEach(one -> assertSameRecord(owner.read(one.key()), one));
    }

    private StoreClient showing() {
        StoreClient client = lab.open();
        List<String> others = List.of("s/asked-first", "o/asked-first");
        others.forEach(key -> client.create(key, "here"));
        Versioned vacant = client.create("c/asked-first", "vacant");
        List<Versioned> shown = show(client, vacant, others);
        assumeFalse(shown.isEmpty(), "this store shows nothing beside a write");
        return client;
    }

    private static List<Versioned> show(StoreClient client, Versioned expected, List<String> others) {
        return claim(client, expected, others).beside();
    }

    private static List<Versioned> showAtLast(StoreClient client, Versioned first, List<String> others) {
        List<Versioned> all = new ArrayList<>();
        client.patience().until("others are shown, as they were before", () -> {
            all.addAll(show(client, client.read(first.key()), others));
            return !all.isEmpty();
        });
        return all;
    }

    private static WriteReply.Applied claim(StoreClient client, Versioned expected, List<String> others) {
        WriteReply reply = client.write(claiming(expected, "mine", others));
        assertThat(applied(reply).value()).isEqualTo("mine");
        List<Versioned> shown = ((WriteReply.Applied) reply).beside();
        if (!shown.isEmpty()) {
            assertThat(shown)
                    .as("all that was asked for, or nothing")
                    .extracting(Versioned::key)
                    .containsExactlyInAnyOrderElementsOf(others);
        }
        return (WriteReply.Applied) reply;
    }

    /** Empty if nothing is shown. */
    private static Optional<Versioned> shown(String key, List<Versioned> all) {
        return all.stream().filter(one -> one.key().equals(key)).findFirst();
    }

    private static boolean isAs(Versioned found, Versioned expected) {
        return found.version().equals(expected.version());
    }
}
