// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/** What servers answer to one question. Answers are collected on the loop; those of servers that restarted lately do not count. */
final class Votes<T> {
    private final int servers;
    private final Host host;
    private final List<T> all = new ArrayList<>();
    private final List<T> counted = new ArrayList<>();
    private final CompletableFuture<List<T>> answered = new CompletableFuture<>();
    private final int asked;
    private int left;
    private Optional<Throwable> failure = Optional.empty();

    Votes(int servers, int asked, Host host) {
        this.servers = servers;
        this.asked = asked;
        this.left = asked;
        this.host = host;
    }

    /** Completes with what the test finds, as soon as it finds something; with nothing if all have answered or failed before. */
    <R> CompletableFuture<Optional<R>> ask(
            List<LockServer> some,
            Function<LockServer, CompletionStage<T>> call,
            Function<Votes<T>, Optional<R>> test) {
        CompletableFuture<Optional<R>> found = new CompletableFuture<>();
        for (LockServer server : some) {
            Stages.follow(
                    call.apply(server),
                    answer -> host.post(() -> {
                        all.add(answer);
                        if (server.counts()) {
                            counted.add(answer);
                        }
                        answered(test, found);
                    }),
                    why -> host.post(() -> {
                        failure = Optional.of(why);
                        answered(test, found);
                    }));
        }
        return found;
    }

    private <R> void answered(Function<Votes<T>, Optional<R>> test, CompletableFuture<Optional<R>> found) {
        left--;
        Optional<R> now = found.isDone() ? Optional.empty() : test.apply(this);
        if (now.isPresent()) {
            found.complete(now);
        }
        if (left == 0) {
            answered.complete(all);
            boolean tooFew = (counted.size() + servers - asked) * 2 <= servers;
            if (tooFew) {
                found.completeExceptionally(tooFew());
            } else {
                found.complete(Optional.empty());
            }
        }
    }

    private BackendException tooFew() {
        String why = failure.map(cause -> String.valueOf(cause.getMessage()))
                .orElse("the others restarted a moment ago, and count when what they had granted has expired");
        return BackendException.unknown("fewer than a majority of the servers have answered: " + why);
    }

    /** @param more that have not been asked, and are known to be in favour */
    boolean isMajority(Predicate<T> inFavour, int more) {
        return (counted.stream().filter(inFavour).count() + more) * 2 > servers;
    }

    /** Once all have answered. */
    List<T> all() {
        return all;
    }

    /** So far. Others may still come. */
    List<T> counted() {
        return List.copyOf(counted);
    }

    CompletableFuture<List<T>> whenAllAnswered() {
        return answered;
    }
}
