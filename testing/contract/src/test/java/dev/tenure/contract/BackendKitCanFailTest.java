// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.internal.lease.LeaseBackend;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreBinding;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Backends that are broken on purpose, each as a peer once was. */
class BackendKitCanFailTest {
    /** A right backend whose sessions answer otherwise where {@link #answer} says so. */
    abstract static class Broken extends MemoryBackendContract {
        Broken() {
            super(ExpiryDetection.SERVER_TIME, Wakeup.WATCH);
        }

        abstract Object answer(BackendSession right, Method method, Object[] arguments) throws Exception;

        @Override
        protected StoreBinding connect(String namespace, Host host) {
            Backend right = new LeaseBackend((LeaseStore) super.connect(namespace, host), host);
            return (StoreBinding) Proxy.newProxyInstance(
                    Backend.class.getClassLoader(),
                    new Class<?>[] {Backend.class},
                    (proxy, method, arguments) -> method.getName().equals("open")
                            ? right.open((SessionRequest) arguments[0], (SessionEvents) arguments[1])
                                    .thenApply(this::altered)
                            : method.invoke(right, arguments));
        }

        private BackendSession altered(BackendSession right) {
            return (BackendSession) Proxy.newProxyInstance(
                    BackendSession.class.getClassLoader(),
                    new Class<?>[] {BackendSession.class},
                    (proxy, method, arguments) -> answer(right, method, arguments));
        }
    }

    @Test
    void a_store_that_ends_sessions_early_is_found() {
        Verdicts.assertFound(
                EndsSessionsEarly.class, "a_silent_session_is_replaced_with_a_higher_token_and_not_before_its_time");
    }

    static class EndsSessionsEarly extends MemoryBackendContract {
        EndsSessionsEarly() {
            super(ExpiryDetection.SERVER_TIME, Wakeup.WATCH);
        }

        @Override
        MemoryStore.Space fresh() {
            return new MemoryStore.Space(ExpiryDetection.SERVER_TIME, Wakeup.WATCH) {
                @Override
                long leftNanos(long expiresAtNanos) {
                    return super.leftNanos(expiresAtNanos) - 300_000_000;
                }
            };
        }
    }

    @Test
    void a_store_that_loses_every_third_hint_is_found() {
        Verdicts.assertFound(LosesHints.class, "a_release_wakes_those_who_wait");
    }

    static class LosesHints extends MemoryBackendContract {
        LosesHints() {
            super(ExpiryDetection.SERVER_TIME, Wakeup.WATCH);
        }

        @Override
        MemoryStore.Space fresh() {
            return new MemoryStore.Space(ExpiryDetection.SERVER_TIME, Wakeup.WATCH) {
                private final AtomicInteger claimsWritten = new AtomicInteger();

                @Override
                Optional<String> hintOf(Write write, WriteReply reply) {
                    boolean lost = write.key().startsWith("c/") && claimsWritten.incrementAndGet() % 3 == 0;
                    return lost ? Optional.empty() : super.hintOf(write, reply);
                }
            };
        }
    }

    @Test
    void a_backend_that_grants_to_everybody_is_found() {
        Verdicts.assertFound(
                GrantsToEverybody.class,
                "of_many_that_claim_at_once_exactly_one_is_granted",
                "a_held_election_is_waited_for_and_its_holder_is_shown",
                "renewals_keep_a_session_and_its_claim");
    }

    static class GrantsToEverybody extends Broken {
        @Override
        Object answer(BackendSession right, Method method, Object[] arguments) throws Exception {
            if (!method.getName().equals("claim")) {
                return method.invoke(right, arguments);
            }
            ClaimRequest request = (ClaimRequest) arguments[0];
            return right.claim(request)
                    .thenApply(reply -> reply instanceof ClaimReply.Waiting
                            ? new ClaimReply.Granted(new FencingToken(1), request.nonce(), false, Duration.ZERO)
                            : reply);
        }
    }

    @Test
    void a_backend_whose_tokens_come_back_is_found() {
        Verdicts.assertFound(
                RepeatsTokens.class,
                "tokens_grow_over_terms_of_different_holders",
                "tokens_grow_over_closed_sessions_and_restarted_processes",
                "a_session_that_claims_its_own_election_anew_gets_a_higher_token_and_the_old_nonce_is_void");
    }

    static class RepeatsTokens extends Broken {
        @Override
        Object answer(BackendSession right, Method method, Object[] arguments) throws Exception {
            return method.getName().equals("claim")
                    ? right.claim((ClaimRequest) arguments[0])
                            .thenApply(reply -> reply instanceof ClaimReply.Granted granted
                                    ? new ClaimReply.Granted(
                                            new FencingToken(42), granted.nonce(), granted.takeover(), Duration.ZERO)
                                    : reply)
                    : method.invoke(right, arguments);
        }
    }

    @Test
    void a_backend_that_renews_what_is_gone_is_found() {
        Verdicts.assertFound(
                RenewsAnything.class,
                "a_session_that_was_replaced_is_gone_and_can_change_nothing_any_more",
                "a_closed_session_is_gone");
    }

    static class RenewsAnything extends Broken {
        @Override
        Object answer(BackendSession right, Method method, Object[] arguments) throws Exception {
            return method.getName().equals("renew")
                    ? right.renew().thenApply(reply -> new RenewReply.Renewed(right.ttl()))
                    : method.invoke(right, arguments);
        }
    }

    @Test
    void a_backend_that_releases_by_name_is_found() {
        Verdicts.assertFound(
                ReleasesByName.class,
                "a_late_release_of_an_earlier_term_does_not_end_the_next_one",
                "a_release_with_a_nonce_that_was_never_claimed_changes_nothing");
    }

    static class ReleasesByName extends Broken {
        private final Map<ElectionName, Nonce> newest = new ConcurrentHashMap<>();

        @Override
        Object answer(BackendSession right, Method method, Object[] arguments) throws Exception {
            if (method.getName().equals("claim")) {
                ClaimRequest request = (ClaimRequest) arguments[0];
                newest.put(request.election(), request.nonce());
            }
            if (method.getName().equals("release")) {
                ElectionName election = (ElectionName) arguments[0];
                return right.release(election, newest.getOrDefault(election, (Nonce) arguments[1]));
            }
            return method.invoke(right, arguments);
        }
    }

    @Test
    void a_backend_that_believes_itself_to_hold_everything_is_found() {
        Verdicts.assertFound(HoldsEverything.class, "only_the_holder_of_the_very_claim_holds_it");
    }

    static class HoldsEverything extends Broken {
        @Override
        Object answer(BackendSession right, Method method, Object[] arguments) throws Exception {
            return method.getName().equals("holds")
                    ? CompletableFuture.completedFuture(true)
                    : method.invoke(right, arguments);
        }
    }

    @Test
    void a_backend_that_keeps_claims_after_close_is_found() {
        Verdicts.assertFound(KeepsClaims.class, "closing_a_session_gives_up_every_claim_at_once");
    }

    static class KeepsClaims extends Broken {
        @Override
        Object answer(BackendSession right, Method method, Object[] arguments) throws Exception {
            CompletionStage<Void> nothing = CompletableFuture.completedFuture(null);
            return method.getName().equals("close") ? nothing : method.invoke(right, arguments);
        }
    }

    @Test
    void a_store_whose_token_is_its_newest_number_is_found() {
        Verdicts.assertFound(
                TellsItsNewestNumber.class,
                "a_claim_whose_answer_was_lost_has_the_token_that_others_see",
                "a_successor_has_seen_the_token_of_its_predecessor_before_it_is_granted");
    }

    /** As one who takes the revision in the header of an answer for that of the record in it. */
    static class TellsItsNewestNumber extends MemoryBackendContract {
        private final AtomicInteger asked = new AtomicInteger();

        TellsItsNewestNumber() {
            super(ExpiryDetection.SERVER_TIME, Wakeup.WATCH);
        }

        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new IssuingStore(space, host) {
                @Override
                public long tokenOf(Versioned written) {
                    return super.tokenOf(written) + asked.incrementAndGet();
                }
            };
        }
    }

    @Test
    void a_store_that_loses_what_a_release_wrote_out_is_found() {
        Verdicts.assertFound(
                LosesWhatReleasesWrite.class,
                "a_release_leaves_the_token_that_the_store_has_issued",
                "a_successor_has_seen_the_token_of_its_predecessor_before_it_is_granted");
    }

    static class LosesWhatReleasesWrite extends MemoryBackendContract {
        LosesWhatReleasesWrite() {
            super(ExpiryDetection.SERVER_TIME, Wakeup.WATCH);
        }

        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new IssuingStore(space, host) {
                @Override
                public CompletionStage<WriteReply> compareAndSet(Write write) {
                    String without = write.value().replaceFirst("token=[0-9]+", "token=0");
                    return super.compareAndSet(
                            new Write(write.expected(), without, write.timeToLive(), write.issues()));
                }
            };
        }
    }

    @Test
    void a_store_whose_clock_does_not_reach_its_tokens_is_found_where_records_are_pruned() {
        Verdicts.assertFound(ShowsNoClock.class, "tokens_grow_over_a_record_that_was_pruned");
    }

    /** Its clock stands still, so what is removed is counted again. */
    static class ShowsNoClock extends MemoryBackendContract {
        ShowsNoClock() {
            super(ExpiryDetection.SERVER_TIME, Wakeup.WATCH);
        }

        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new MemoryStore(space, host) {
                @Override
                public CompletionStage<Versioned> read(String key) {
                    return super.read(key)
                            .thenApply(found ->
                                    new Versioned(found.key(), found.version(), found.value(), found.life(), 1));
                }
            };
        }
    }
}
