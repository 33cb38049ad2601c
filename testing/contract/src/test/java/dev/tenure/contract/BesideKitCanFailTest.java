package dev.tenure.contract;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Stores that show others beside a write as they should not. */
class BesideKitCanFailTest {
    abstract static class Broken extends FrankStoreContract {
        @Override
        Patience patience(Duration ttl) {
            return Patience.of(Duration.ofSeconds(3));
        }
    }

    @Test
    void a_store_that_shows_only_what_is_there_is_found() {
        Verdicts.assertFound(ShowsSome.class, "any_number_of_others_is_shown_or_none_of_them");
    }

    static class ShowsSome extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                List<Versioned> beside(Write applied) {
                    return super.beside(applied).stream()
                            .filter(Versioned::isPresent)
                            .toList();
                }
            };
        }
    }

    @Test
    void a_store_that_shows_keys_that_look_alike_is_found() {
        Verdicts.assertFound(ShowsLookalikes.class, "any_number_of_others_is_shown_or_none_of_them");
    }

    static class ShowsLookalikes extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                List<Versioned> beside(Write applied) {
                    return applied.beside().stream().map(this::alike).toList();
                }

                private Versioned alike(String key) {
                    Versioned found = look(key.replace('_', '.'));
                    return new Versioned(key, found.version(), found.value(), found.life(), found.clockMillis());
                }
            };
        }
    }

    @Test
    void a_store_that_shows_what_it_remembers_is_found() {
        Verdicts.assertFound(
                ShowsFromCache.class,
                "what_another_client_has_just_written_is_shown",
                "what_is_shown_does_not_live_longer_by_that");
    }

    static class ShowsFromCache extends Broken {
        @Override
        MemoryStore.Space fresh() {
            Map<String, Versioned> cache = new ConcurrentHashMap<>();
            return new FrankStore.Space() {
                @Override
                List<Versioned> beside(Write applied) {
                    return applied.beside().stream()
                            .map(key -> cache.computeIfAbsent(key, this::look))
                            .toList();
                }
            };
        }
    }

    @Test
    void a_store_that_writes_what_it_shows_is_found() {
        Verdicts.assertFound(
                TouchesWhatItShows.class,
                "a_write_that_is_refused_changes_nothing_and_one_that_is_applied_leaves_the_others_alone",
                "what_is_shown_does_not_live_longer_by_that");
    }

    static class TouchesWhatItShows extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                List<Versioned> beside(Write applied) {
                    super.beside(applied).stream()
                            .filter(Versioned::isPresent)
                            .forEach(other -> set(
                                    new Write(other, other.value(), other.life().map(left -> ttl()), 0)));
                    return super.beside(applied);
                }
            };
        }
    }

    @Test
    void a_store_that_forgets_the_time_to_live_of_a_write_that_shows_others_is_found() {
        Verdicts.assertFound(ForgetsTheLife.class, "a_write_with_a_time_to_live_has_it_also_if_it_shows_others");
    }

    static class ForgetsTheLife extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new FrankStore.Space() {
                @Override
                WriteReply set(Write write) {
                    return write.beside().isEmpty()
                            ? super.set(write)
                            : super.set(new Write(
                                    write.expected(),
                                    write.value(),
                                    Optional.empty(),
                                    write.issues(),
                                    write.word(),
                                    write.beside()));
                }
            };
        }
    }

    /** Does in two steps what should be one; between them it waits a moment for somebody to change the others. */
    private abstract static class TwoSteps extends FrankStore.Space {
        private static final Duration GAP = Duration.ofMillis(30);

        final List<Versioned> looked(Write write) {
            return super.beside(write);
        }

        @Override
        List<Versioned> beside(Write applied) {
            return List.of();
        }

        final void waitForChange(Write write) {
            if (write.beside().isEmpty()) {
                return;
            }
            List<String> before = versions(write);
            Patience.of(GAP).within(GAP, () -> !versions(write).equals(before));
        }

        private List<String> versions(Write write) {
            return looked(write).stream()
                    .map(other -> other.version().orElse("none"))
                    .toList();
        }
    }

    @Test
    void a_store_that_looks_before_it_writes_is_found() {
        Verdicts.assertFound(
                LooksBefore.class,
                "what_was_deleted_before_a_write_is_not_shown_beside_it",
                "what_was_created_before_a_write_is_not_missing_beside_it");
    }

    static class LooksBefore extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new TwoSteps() {
                @Override
                WriteReply set(Write write) {
                    List<Versioned> shown = looked(write);
                    waitForChange(write); // and for whoever has changed it to look as well:
                    waitForChange(write);
                    WriteReply reply = super.set(write);
                    return reply instanceof WriteReply.Applied applied
                            ? new WriteReply.Applied(applied.now(), shown)
                            : reply;
                }
            };
        }
    }

    @Test
    void a_store_that_looks_after_it_has_written_is_found() {
        Verdicts.assertFound(LooksAfter.class, "what_is_deleted_after_a_write_is_not_missing_beside_it");
    }

    static class LooksAfter extends Broken {
        @Override
        MemoryStore.Space fresh() {
            return new TwoSteps() {
                @Override
                WriteReply set(Write write) {
                    WriteReply reply = super.set(write);
                    waitForChange(write);
                    return reply instanceof WriteReply.Applied applied
                            ? new WriteReply.Applied(applied.now(), looked(write))
                            : reply;
                }
            };
        }
    }
}
