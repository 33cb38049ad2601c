package dev.tenure.internal.loop;

import dev.tenure.Card;
import dev.tenure.Fence;
import dev.tenure.internal.engine.ElectionRules;
import java.util.List;

/** How a process stands, apart from the election and the user's code: campaigns that change nothing share one of these. */
public record Stance(ElectionRules rules, Card card, List<Fence> fences) {
    public Stance {
        fences = List.copyOf(fences);
    }

    public Stance with(ElectionRules changed) {
        return new Stance(changed, card, fences);
    }
}
