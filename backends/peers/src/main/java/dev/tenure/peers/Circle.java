package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.peers.PeerMessage.Question;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The group as somebody sees it: one of its members, or one who only looks. Called on the loop. */
interface Circle {
    CompletableFuture<Map<Integer, List<Answer>>> ask(Question question, Predicate<Map<Integer, List<Answer>>> enough);

    /** Have those answered without whom no answer is worth anything? */
    boolean suffices(Map<Integer, List<Answer>> answered);

    void watch(Consumer<ElectionName> watcher);

    void unwatch(Consumer<ElectionName> watcher);

    void linked(PeerConnection connection, long theirBase);

    void unlinked(PeerConnection connection);

    void received(PeerConnection connection, List<PeerMessage> items);

    void close();
}
