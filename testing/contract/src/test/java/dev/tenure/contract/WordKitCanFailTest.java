package dev.tenure.contract;

import dev.tenure.spi.Hint;
import dev.tenure.spi.Host;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Stores that tell words as they should not. */
class WordKitCanFailTest {
    private static final String TOLD = "the_word_of_a_write_is_told_to_another_client_with_its_version";

    abstract static class Broken extends FrankStoreContract {
        @Override
        Patience patience(Duration ttl) {
            return Patience.of(Duration.ofSeconds(3));
        }
    }

    /** Tells all that it tells wrongly in this way. */
    private abstract static class Gossip extends FrankStore.Space {
        abstract Hint tell(Write write, Versioned written);

        @Override
        Optional<Hint> hintOf(Write write, WriteReply reply) {
            return reply instanceof WriteReply.Applied applied && !write.word().isEmpty()
                    ? Optional.of(tell(write, applied.now()))
                    : super.hintOf(write, reply);
        }
    }

    @Test
    void a_store_that_does_not_tell_words_is_asked_for_none_and_that_is_reported() {
        Verdicts.assertSkipped(
                ServerTimeStoreContractTest.class,
                TOLD,
                "what_was_made_up_takes_nothing_although_its_version_is_right",
                "a_write_that_is_applied_shows_the_others_as_they_stand");
    }

    @Test
    void a_store_that_could_tell_words_and_never_does_is_found() {
        Verdicts.assertFound(TellsNothing.class, TOLD);
    }

    static class TellsNothing extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new Gossip() {
                @Override
                Hint tell(Write write, Versioned written) {
                    return Hint.of(written.key());
                }
            };
        }
    }

    @Test
    void a_store_that_tells_what_was_written_instead_of_the_word_is_found() {
        Verdicts.assertFound(TellsTheValue.class, TOLD, "the_word_of_a_write_is_told_to_the_same_client");
    }

    static class TellsTheValue extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new Gossip() {
                @Override
                Hint tell(Write write, Versioned written) {
                    return telling(written, write.value());
                }
            };
        }
    }

    @Test
    void a_store_that_tells_the_version_that_was_there_before_is_found() {
        Verdicts.assertFound(TellsTheVersionBefore.class, TOLD, "the_word_of_a_creation_is_told");
    }

    static class TellsTheVersionBefore extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new Gossip() {
                @Override
                Hint tell(Write write, Versioned written) {
                    return telling(write.expected(), write.word());
                }
            };
        }
    }

    @Test
    void a_store_that_mixes_up_the_words_of_many_is_found() {
        Verdicts.assertFound(MixesWords.class, "many_that_are_written_at_once_have_each_its_own_word");
    }

    static class MixesWords extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new Gossip() {
                private String latest = "";

                @Override
                boolean accepts(Versioned current, Write write) {
                    latest = write.word();
                    return super.accepts(current, write);
                }

                @Override
                Hint tell(Write write, Versioned written) {
                    Thread.yield();
                    return telling(written, latest);
                }
            };
        }
    }

    @Test
    void a_store_that_tells_a_part_of_a_long_word_is_found() {
        Verdicts.assertFound(CutsWords.class, "a_word_is_told_as_it_was_said_or_not_at_all");
    }

    static class CutsWords extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new Gossip() {
                @Override
                Hint tell(Write write, Versioned written) {
                    return telling(
                            written,
                            write.word()
                                    .substring(0, Math.min(7_000, write.word().length())));
                }
            };
        }
    }

    @Test
    void a_store_that_tells_a_word_without_its_last_lines_is_found() {
        Verdicts.assertFound(StripsWords.class, "a_word_is_told_as_it_was_said_or_not_at_all");
    }

    static class StripsWords extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new Gossip() {
                @Override
                Hint tell(Write write, Versioned written) {
                    return telling(written, write.word().strip());
                }
            };
        }
    }

    @Test
    void a_store_that_tells_the_word_of_a_refused_write_is_found() {
        Verdicts.assertFound(TellsOfRefused.class, "the_word_of_a_write_that_is_refused_is_not_told");
    }

    static class TellsOfRefused extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                Optional<Hint> hintOf(Write write, WriteReply reply) {
                    return reply instanceof WriteReply.Refused refused
                            ? Optional.of(telling(refused.current(), write.word()))
                            : super.hintOf(write, reply);
                }
            };
        }
    }

    @Test
    void a_store_that_tells_what_nobody_said_is_found() {
        Verdicts.assertFound(TellsUnasked.class, "a_write_that_says_nothing_tells_no_more_than_its_key");
    }

    static class TellsUnasked extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                Optional<Hint> hintOf(Write write, WriteReply reply) {
                    return reply instanceof WriteReply.Applied applied
                                    && write.word().isEmpty()
                            ? Optional.of(telling(applied.now(), write.value()))
                            : super.hintOf(write, reply);
                }
            };
        }
    }

    @Test
    void a_store_that_tells_of_other_prefixes_is_found() {
        Verdicts.assertFound(IgnoresPrefixes.class, "a_word_is_about_a_key_of_the_prefix");
    }

    static class IgnoresPrefixes extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                boolean concerns(String prefix, String key) {
                    return true;
                }
            };
        }
    }

    @Test
    void a_store_that_tells_words_of_other_namespaces_is_found() {
        Verdicts.assertFound(TellsEverywhere.class, "a_word_is_told_in_its_own_namespace");
    }

    static class TellsEverywhere extends Broken {
        private final List<MemoryStore.Space> all = new ArrayList<>();

        @Override
        MemoryStore.Space fresh() {
            MemoryStore.Space fresh = super.fresh();
            all.add(fresh);
            return fresh;
        }

        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new FrankStore(space, host) {
                @Override
                public Watch listen(String prefix, Consumer<Hint> heard) {
                    List<Watch> watches = all.stream()
                            .map(each -> new FrankStore(each, host).hear(prefix, heard))
                            .toList();
                    return () -> watches.forEach(Watch::close);
                }
            };
        }
    }

    @Test
    void a_store_that_tells_those_who_have_closed_is_found() {
        Verdicts.assertFound(NeverCloses.class, "who_has_closed_hears_no_word_any_more_and_the_others_do");
    }

    static class NeverCloses extends Broken {
        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new FrankStore(space, host) {
                @Override
                public Watch listen(String prefix, Consumer<Hint> heard) {
                    super.listen(prefix, heard);
                    return () -> {};
                }
            };
        }
    }

    @Test
    void a_store_whose_words_are_not_heard_by_those_who_watch_is_found() {
        Verdicts.assertFound(WatchesNothing.class, "a_write_with_a_word_is_a_change_to_those_who_only_watch");
    }

    static class WatchesNothing extends Broken {
        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new FrankStore(space, host) {
                @Override
                public Watch watch(String prefix, Consumer<String> changedKey) {
                    return hear(prefix, hint -> {
                        if (hint.told().isEmpty()) {
                            changedKey.accept(hint.key());
                        }
                    });
                }
            };
        }
    }

    @Test
    void a_store_that_tells_a_write_before_it_is_applied_is_found() {
        Verdicts.assertFound(TellsTooEarly.class, "what_is_told_has_been_written_before");
    }

    /** Foretells the version, and writes only when whoever was told has looked. */
    static class TellsTooEarly extends Broken {
        private CompletableFuture<Versioned> look = new CompletableFuture<>();
        private int versions;

        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                String nextVersion(String key, Optional<String> before) {
                    return Integer.toString(versions);
                }

                @Override
                Optional<Hint> hintOf(Write write, WriteReply reply) {
                    return Optional.empty();
                }
            };
        }

        @Override
        MemoryStore client(MemoryStore.Space space, Host host) {
            return new FrankStore(space, host) {
                @Override
                public CompletionStage<Versioned> read(String key) {
                    return super.read(key).whenComplete((found, failure) -> look.complete(found));
                }

                @Override
                public CompletionStage<WriteReply> compareAndSet(Write write) {
                    String foretold = Integer.toString(++versions);
                    look = new CompletableFuture<>();
                    hint(FrankStore.Space.telling(
                            new Versioned(write.key(), Optional.of(foretold), "", Optional.empty(), 0), write.word()));
                    return look.thenCompose(looked -> super.compareAndSet(write));
                }
            };
        }
    }

    @Test
    void a_store_that_believes_what_was_told_is_found() {
        Verdicts.assertFound(
                BelievesWords.class,
                "what_was_made_up_takes_nothing_although_its_version_is_right",
                "of_many_at_once_those_that_were_made_up_take_nothing");
    }

    static class BelievesWords extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                boolean accepts(Versioned current, Write write) {
                    return true;
                }
            };
        }
    }

    @Test
    void a_store_that_takes_an_empty_expectation_for_none_is_found() {
        Verdicts.assertFound(
                BelievesNothing.class,
                "what_was_made_up_takes_nothing_although_its_version_is_right",
                "of_many_at_once_those_that_were_made_up_take_nothing");
    }

    static class BelievesNothing extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                boolean accepts(Versioned current, Write write) {
                    return write.expected().value().isEmpty() || super.accepts(current, write);
                }
            };
        }
    }

    @Test
    void a_store_that_believes_a_claim_that_asks_for_one_record_is_found() {
        Verdicts.assertFound(ComparesForPairs.class, "what_was_made_up_takes_nothing_although_its_version_is_right");
    }

    static class ComparesForPairs extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                boolean accepts(Versioned current, Write write) {
                    return write.beside().size() != 2 || super.accepts(current, write);
                }
            };
        }
    }

    @Test
    void a_store_that_compares_what_it_need_not_is_found() {
        Verdicts.assertFound(ComparesAlways.class, "a_write_about_one_record_compares_its_version_and_nothing_else");
    }

    static class ComparesAlways extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                boolean accepts(Versioned current, Write write) {
                    return current.value().equals(write.expected().value());
                }
            };
        }
    }

    @Test
    void a_store_that_refuses_what_was_told_is_found() {
        Verdicts.assertFound(RefusesWords.class, "what_was_told_can_be_taken_without_having_been_read");
    }

    static class RefusesWords extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                boolean accepts(Versioned current, Write write) {
                    return write.expected().clockMillis() > 0 || !current.isPresent();
                }
            };
        }
    }
}
