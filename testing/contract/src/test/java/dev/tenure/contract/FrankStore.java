package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Hint;
import dev.tenure.spi.Host;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A store in memory that does more than it has to: it tells the word of a write, and shows other records beside it. */
class FrankStore extends MemoryStore {
    FrankStore(MemoryStore.Space space, Host host) {
        super(space, host);
    }

    @Override
    public Watch listen(String prefix, Consumer<Hint> heard) {
        return hear(prefix, heard);
    }

    /** What a broken one gets wrong is overridden. */
    static class Space extends MemoryStore.Space {
        Space() {
            super(ExpiryJudge.SERVER_TIME, Wakeup.WATCH);
        }

        @Override
        boolean accepts(Versioned current, Write write) {
            return write.beside().isEmpty()
                    || current.value().equals(write.expected().value());
        }

        @Override
        List<Versioned> beside(Write applied) {
            return applied.beside().stream().map(this::look).toList();
        }

        @Override
        Optional<Hint> hintOf(Write write, WriteReply reply) {
            return reply instanceof WriteReply.Applied applied && !write.word().isEmpty()
                    ? Optional.of(telling(applied.now(), write.word()))
                    : super.hintOf(write, reply);
        }

        static Hint telling(Versioned written, String word) {
            return new Hint(
                    written.key(),
                    Optional.of(new Versioned(written.key(), written.version(), word, Optional.empty(), 0)));
        }
    }
}
