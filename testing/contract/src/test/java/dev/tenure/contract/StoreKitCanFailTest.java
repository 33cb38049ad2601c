// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Stores that are broken on purpose: the suite is worth what it finds. */
class StoreKitCanFailTest {
    abstract static class Broken extends MemoryLeaseStoreContract {
        Broken() {
            super(ExpiryDetection.SERVER_TIME, Wakeup.WATCH);
        }
    }

    @Test
    void a_store_that_loses_updates_is_found() {
        Verdicts.assertFound(
                LosesUpdates.class,
                "an_update_of_an_older_version_is_refused_and_changes_nothing",
                "of_many_that_update_one_version_exactly_one_does",
                "no_update_is_lost");
    }

    static class LosesUpdates extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new MemoryStore.Space(ExpiryDetection.SERVER_TIME, Wakeup.WATCH) {
                @Override
                boolean writes(Versioned current, Versioned expected) {
                    return current.isPresent() == expected.isPresent();
                }
            };
        }
    }

    @Test
    void a_store_that_overwrites_at_creation_is_found() {
        Verdicts.assertFound(
                OverwritesAtCreation.class,
                "a_creation_where_there_is_a_record_is_refused_and_shows_it",
                "of_many_that_create_a_record_exactly_one_does");
    }

    static class OverwritesAtCreation extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new MemoryStore.Space(ExpiryDetection.SERVER_TIME, Wakeup.WATCH) {
                @Override
                boolean writes(Versioned current, Versioned expected) {
                    return !expected.isPresent() || current.version().equals(expected.version());
                }
            };
        }
    }

    @Test
    void a_store_that_counts_versions_anew_after_a_deletion_is_found() {
        Verdicts.assertFound(
                ReusesVersions.class,
                "a_version_never_returns_after_deletion_and_creation",
                "a_write_that_expects_a_deleted_record_does_not_match_its_successor");
    }

    static class ReusesVersions extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new MemoryStore.Space(ExpiryDetection.SERVER_TIME, Wakeup.WATCH) {
                @Override
                String nextVersion(String key, Optional<String> before) {
                    return Long.toString(before.map(Long::valueOf).orElse(0L) + 1);
                }
            };
        }
    }

    @Test
    void a_store_that_judges_expiry_early_is_found() {
        Verdicts.assertFound(JudgesEarly.class, "the_life_of_a_record_runs_out_and_is_never_judged_too_short");
    }

    static class JudgesEarly extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new MemoryStore.Space(ExpiryDetection.SERVER_TIME, Wakeup.WATCH) {
                @Override
                long leftNanos(long expiresAtNanos) {
                    return super.leftNanos(expiresAtNanos) - 50_000_000;
                }
            };
        }
    }

    @Test
    void a_store_that_removes_records_early_is_found() {
        Verdicts.assertFound(
                RemovesEarly.class,
                "a_record_vanishes_when_its_time_is_over_and_not_before",
                "a_rewritten_record_vanishes_later");
    }

    static class RemovesEarly extends MemoryLeaseStoreContract {
        RemovesEarly() {
            super(ExpiryDetection.SERVER_TTL, Wakeup.WATCH);
        }

        @Override
        MemoryStore.Space fresh() {
            return new MemoryStore.Space(ExpiryDetection.SERVER_TTL, Wakeup.WATCH) {
                @Override
                long leftNanos(long expiresAtNanos) {
                    return super.leftNanos(expiresAtNanos) - ttl().toNanos() / 3;
                }
            };
        }

        /** So long that a busy machine looks in time: only who looks between too early and just right can tell. */
        @Override
        protected Duration ttl() {
            return Duration.ofSeconds(3);
        }
    }

    @Test
    void a_store_that_deletes_whatever_stands_there_is_found() {
        Verdicts.assertFound(
                DeletesAnything.class,
                "a_deletion_of_an_older_version_is_refused_and_changes_nothing",
                "a_write_that_expects_a_deleted_record_does_not_match_its_successor");
    }

    static class DeletesAnything extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new MemoryStore.Space(ExpiryDetection.SERVER_TIME, Wakeup.WATCH) {
                @Override
                boolean deletes(Versioned current, Versioned expected) {
                    return true;
                }
            };
        }
    }

    @Test
    void a_store_that_reads_from_a_cache_is_found() {
        Verdicts.assertFound(
                ReadsFromCache.class,
                "a_write_is_seen_by_the_very_next_read_of_another_client",
                "a_deletion_is_seen_by_the_very_next_read_of_another_client");
    }

    static class ReadsFromCache extends Broken {
        @Override
        protected LeaseStore open(String namespace, Host host) {
            LeaseStore right = super.open(namespace, host);
            Map<Object, CompletionStage<?>> cache = new HashMap<>();
            return altered((proxy, method, arguments) -> method.getName().equals("read")
                    ? cache.computeIfAbsent(arguments[0], key -> right.read((String) key))
                    : method.invoke(right, arguments));
        }
    }

    @Test
    void a_store_that_blocks_its_caller_is_found() {
        Verdicts.assertFound(BlocksItsCaller.class, "a_call_never_blocks_its_caller");
    }

    static class BlocksItsCaller extends Broken {
        @Override
        protected LeaseStore open(String namespace, Host host) {
            LeaseStore right = super.open(namespace, host);
            return altered((proxy, method, arguments) -> {
                Object result = method.invoke(right, arguments);
                if (result instanceof CompletableFuture<?> reply) {
                    reply.join();
                }
                return result;
            });
        }
    }

    @Test
    void a_store_that_works_on_the_callers_thread_is_found() {
        Verdicts.assertFound(WorksOnTheCallersThread.class, "a_call_does_not_do_its_work_on_the_callers_thread");
    }

    /** As one whose client blocks, and who forgot to give it a thread: no executor that is stuck shows that. */
    static class WorksOnTheCallersThread extends Broken {
        @Override
        protected LeaseStore open(String namespace, Host host) {
            return super.open(namespace, new AlteredHost() {
                @Override
                public Executor io() {
                    return Runnable::run;
                }

                @Override
                public void shutdown() {
                    super.shutdown();
                    host.shutdown();
                }
            });
        }
    }

    @Test
    void a_store_that_works_on_after_close_is_found() {
        Verdicts.assertFound(WorksOnAfterClose.class, "a_call_after_close_fails_its_stage_and_changes_nothing");
    }

    static class WorksOnAfterClose extends Broken {
        @Override
        protected LeaseStore open(String namespace, Host host) {
            LeaseStore right = super.open(namespace, host);
            return altered((proxy, method, arguments) ->
                    method.getName().equals("close") ? null : method.invoke(right, arguments));
        }
    }

    @Test
    void a_store_that_mixes_up_namespaces_is_found() {
        Verdicts.assertFound(MixesNamespaces.class, "namespaces_share_nothing");
    }

    static class MixesNamespaces extends Broken {
        @Override
        protected LeaseStore open(String namespace, Host host) {
            return super.open("the same for all", host);
        }
    }

    /** One that issues tokens: what is broken is overridden. */
    abstract static class BrokenIssuer extends Broken {
        abstract long tokenOf(Versioned written, long writesOfAll);

        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new IssuingStore(space, host) {
                @Override
                public long tokenOf(Versioned written) {
                    return BrokenIssuer.this.tokenOf(written, super.tokenOf(written));
                }
            };
        }
    }

    @Test
    void a_store_that_numbers_each_record_for_itself_is_found() {
        Verdicts.assertFound(NumbersEachRecord.class, "a_later_write_has_a_higher_number_whatever_it_writes");
    }

    static class NumbersEachRecord extends BrokenIssuer {
        private final Map<String, Map<Long, Long>> writes = new HashMap<>();

        @Override
        synchronized long tokenOf(Versioned written, long ofAll) {
            Map<Long, Long> ofRecord = writes.computeIfAbsent(written.key(), any -> new HashMap<>());
            return ofRecord.computeIfAbsent(ofAll, any -> ofRecord.size() + 1L);
        }
    }

    @Test
    void a_store_that_tells_its_own_number_for_that_of_the_record_is_found() {
        Verdicts.assertFound(TellsItsOwnNumber.class, "a_record_keeps_the_number_of_its_write_whoever_reads_it");
    }

    static class TellsItsOwnNumber extends BrokenIssuer {
        private long asked;

        @Override
        synchronized long tokenOf(Versioned written, long ofAll) {
            return ofAll + ++asked;
        }
    }

    @Test
    void a_store_that_only_declares_to_issue_tokens_is_found() {
        Verdicts.assertFound(OnlyDeclares.class, "only_a_store_that_numbers_its_writes_declares_that_it_issues_tokens");
    }

    static class OnlyDeclares extends Broken {
        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new MemoryStore(space, host) {
                @Override
                public BackendTraits traits() {
                    return super.traits().change().tokens(TokenSource.REVISION).build();
                }
            };
        }
    }

    @Test
    void a_store_that_knows_only_the_kinds_of_today_is_found() {
        Verdicts.assertFound(KnowsItsKinds.class, "a_kind_of_record_that_no_version_knows_is_kept_like_any_other");
    }

    static class KnowsItsKinds extends Broken {
        @Override
        protected LeaseStore open(String namespace, Host host) {
            LeaseStore right = super.open(namespace, host);
            return altered((proxy, method, arguments) ->
                    method.getName().equals("list") && !"sco".contains(((String) arguments[0]).substring(0, 1))
                            ? CompletableFuture.completedFuture(List.of())
                            : method.invoke(right, arguments));
        }
    }

    private static LeaseStore altered(InvocationHandler behaviour) {
        return (LeaseStore)
                Proxy.newProxyInstance(LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, behaviour);
    }
}
