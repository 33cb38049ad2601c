package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import java.util.ArrayList;
import java.util.List;

/** What a session was told, in order. */
final class HeardEvents implements SessionEvents {
    final List<ClaimReply.Granted> granted = new ArrayList<>();
    final List<ElectionName> changed = new ArrayList<>();
    final List<String> lost = new ArrayList<>();

    @Override
    public void granted(ElectionName election, ClaimReply.Granted grant) {
        granted.add(grant);
    }

    @Override
    public void changed(ElectionName election) {
        changed.add(election);
    }

    @Override
    public void seen(ElectionName election, long token) {}

    @Override
    public void requested(OperatorRequest request) {}

    @Override
    public void lost(String why) {
        lost.add(why);
    }
}
