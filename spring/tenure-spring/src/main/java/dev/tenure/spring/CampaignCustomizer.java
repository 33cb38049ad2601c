package dev.tenure.spring;

import dev.tenure.Campaign;
import dev.tenure.ElectionName;
import java.util.Set;

/** A bean that changes how the application stands: a card, a drain, a fence. Called after the annotations were applied. */
@FunctionalInterface
public interface CampaignCustomizer {
    Campaign customize(ElectionName election, Campaign campaign);

    /** Elections to stand in beside those that annotations name, for {@link TenureTemplate}. */
    default Set<String> elections() {
        return Set.of();
    }
}
