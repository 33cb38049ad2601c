package dev.tenure.internal.loop;

import dev.tenure.ActivePassive;
import dev.tenure.Card;
import dev.tenure.Duty;
import dev.tenure.Fence;
import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.spi.Host;
import java.util.List;

/** How a candidacy stands, with the user's code. */
public record Standpoint(ElectionRules rules, Card card, List<Fence> fences, Work work) {
    public Standpoint {
        fences = List.copyOf(fences);
    }

    /** The user's code: a duty or a service. */
    public sealed interface Work {
        static Work of(Duty duty) {
            return new OfDuty(duty);
        }

        static Work of(ActivePassive service) {
            return new OfService(service);
        }

        Assignment on(Host host);

        void warmUp() throws Exception;
    }

    private record OfDuty(Duty duty) implements Work {
        @Override
        public Assignment on(Host host) {
            return new DutyAssignment(duty, host);
        }

        @Override
        public void warmUp() {}
    }

    private record OfService(ActivePassive service) implements Work {
        @Override
        public Assignment on(Host host) {
            return new ServiceAssignment(service, host);
        }

        @Override
        public void warmUp() throws Exception {
            service.warmUp();
        }
    }
}
