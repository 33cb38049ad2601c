package dev.tenure.etcd;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** What follows an answer. Whatever goes wrong in that is a bug, and is logged instead of vanishing in a future. */
final class Answers {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private Answers() {}

    static <T> void follow(CompletionStage<T> answer, Consumer<T> onReply, Consumer<Throwable> onFailure) {
        answer.whenComplete((reply, failure) -> {
            try {
                if (failure == null) {
                    onReply.accept(reply);
                } else {
                    onFailure.accept(Trouble.rootOf(failure));
                }
            } catch (RuntimeException bug) {
                LOG.log(Level.ERROR, "what follows an answer of etcd failed", bug);
            }
        });
    }
}
