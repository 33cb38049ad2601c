package dev.tenure.internal.loop;

import dev.tenure.Card;
import dev.tenure.Fence;
import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.spi.Host;
import java.util.List;
import java.util.function.Function;

/** How a candidacy stands, with the user's code. */
public record Standpoint(ElectionRules rules, Card card, List<Fence> fences, Work work) {
    public Standpoint {
        fences = List.copyOf(fences);
    }

    /** The user's code: a duty or a service. */
    public static final class Work {
        private final Function<Host, Assignment> assignment;
        private final WarmUp warmUp;

        private Work(Function<Host, Assignment> assignment, WarmUp warmUp) {
            this.assignment = assignment;
            this.warmUp = warmUp;
        }

        public static Work of(dev.tenure.Duty duty) {
            return new Work(host -> new DutyAssignment(duty, host), () -> {});
        }

        public static Work of(dev.tenure.ActivePassive service) {
            return new Work(host -> new ServiceAssignment(service, host), service::warmUp);
        }

        Assignment on(Host host) {
            return assignment.apply(host);
        }

        void warmUp() throws Exception {
            warmUp.run();
        }
    }

    private interface WarmUp {
        void run() throws Exception;
    }
}
