package dev.tenure.peers;

import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/**
 * Questions to the whole group, which are answered when enough members have. Two majorities share a member: what one has confirmed, the
 * next one knows. A question is asked again over every new line, so that a line that breaks costs nothing but time.
 */
final class Rounds {
    private final Host host;
    private final Outbox outbox;
    private final long patienceNanos;
    private final Map<Long, Round> open = new HashMap<>();
    private long last;

    Rounds(Host host, Outbox outbox, long patienceNanos) {
        this.host = host;
        this.outbox = outbox;
        this.patienceNanos = patienceNanos;
    }

    /** @param complete by member, of those who have said everything */
    private record Round(
            long id,
            PeerMessage item,
            AtomicReference<Predicate<Map<Integer, List<Answer>>>> enough,
            Map<Integer, List<Answer>> partial,
            Map<Integer, List<Answer>> complete,
            CompletableFuture<Map<Integer, List<Answer>>> future) {}

    /** @param enough looks at the answers of those who have said everything */
    CompletableFuture<Map<Integer, List<Answer>>> ask(
            LongFunction<PeerMessage> question, Predicate<Map<Integer, List<Answer>>> enough) {
        long id = ++last;
        Round round = new Round(
                id,
                question.apply(id),
                new AtomicReference<>(enough),
                new HashMap<>(),
                new HashMap<>(),
                new CompletableFuture<>());
        open.put(id, round);
        outbox.sendAll(round.item());
        Host.Timer timeout = host.wakeAt(
                host.nanos() + patienceNanos,
                () -> round.future()
                        .completeExceptionally(
                                new Trouble.Unanswered(round.complete().size())));
        var unused = round.future().whenComplete((answers, failure) -> {
            open.remove(id);
            timeout.cancel();
        });
        return round.future();
    }

    /** The number of the question that was asked last, for the answer of this member itself. */
    long lastId() {
        return last;
    }

    void linked(int member) {
        open.values().forEach(round -> {
            round.partial().remove(member);
            outbox.send(member, round.item());
        });
    }

    void told(int member, PeerMessage.Told told) {
        Round round = open.get(told.id());
        if (round == null || round.complete().containsKey(member)) {
            return;
        }
        List<Answer> answers = round.partial().computeIfAbsent(member, none -> new ArrayList<>());
        answers.add(told.answer());
        if (!(told.answer() instanceof Answer.Sight)) {
            round.complete().put(member, answers);
            completeIfEnough(round);
        }
    }

    /** From now on this is enough. */
    void settle(long id, Predicate<Map<Integer, List<Answer>>> enough) {
        Optional.ofNullable(open.get(id)).ifPresent(round -> {
            round.enough().set(enough);
            completeIfEnough(round);
        });
    }

    private static void completeIfEnough(Round round) {
        if (round.enough().get().test(round.complete())) {
            round.future().complete(Map.copyOf(round.complete()));
        }
    }

    void close() {
        List.copyOf(open.values()).forEach(round -> round.future().completeExceptionally(Trouble.closed()));
    }
}
