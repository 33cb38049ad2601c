package dev.tenure.internal.loop;

import dev.tenure.ActivePassive;
import dev.tenure.Card;
import dev.tenure.Duty;
import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.spi.Host;
import java.util.List;

/** What a candidacy stands for, and how: the election, and the user's code, which is a duty or a service. */
public sealed interface Standpoint {
    ElectionName election();

    Stance stance();

    default void warmUp() throws Exception {}

    /** The user's code for one term. */
    Assignment assignment(Host host, LiveLeadership leadership, Assignment.Employer employer);

    record OfDuty(ElectionName election, Stance stance, Duty duty) implements Standpoint {
        @Override
        public Assignment assignment(Host host, LiveLeadership leadership, Assignment.Employer employer) {
            return new DutyAssignment(duty, host, leadership, employer);
        }
    }

    /** A term is handed to the thread of a caller that waits for it. */
    record OfCaller(ElectionName election, Stance stance, ExclusiveRun run) implements Standpoint {
        @Override
        public Assignment assignment(Host host, LiveLeadership leadership, Assignment.Employer employer) {
            return new CallerAssignment(run, leadership, employer);
        }
    }

    record OfService(ElectionName election, Stance stance, ActivePassive service) implements Standpoint {
        @Override
        public void warmUp() throws Exception {
            service.warmUp();
        }

        @Override
        public Assignment assignment(Host host, LiveLeadership leadership, Assignment.Employer employer) {
            return new ServiceAssignment(service, host, leadership, employer);
        }
    }

    /** How a process stands, apart from the election and the user's code: campaigns that change nothing share one of these. */
    record Stance(ElectionRules rules, Card card, List<Fence> fences) {
        public Stance {
            fences = List.copyOf(fences);
        }

        public Stance with(ElectionRules changed) {
            return new Stance(changed, card, fences);
        }
    }
}
