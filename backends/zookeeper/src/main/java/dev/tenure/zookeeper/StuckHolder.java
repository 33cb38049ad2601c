package dev.tenure.zookeeper;

import dev.tenure.Leader;
import dev.tenure.zookeeper.wire.Stat;
import java.util.Optional;

/**
 * A latch that no session owns stays until somebody deletes it, and nobody can lead before that. A candidate may not
 * delete the latch of another, so people are told of it, with what they can do.
 */
final class StuckHolder {
    /** The latch of which people were told last. */
    private String told = "";

    /** Once for each latch, and not with every look. */
    void tellIfNew(Leader leader, String path, SessionScene scene) {
        boolean stuck = leader.foreign().filter(Leader.Foreign::stuck).isPresent();
        if (stuck && !path.equals(told)) {
            told = path;
            scene.events()
                    .stuck(
                            leader.election(),
                            "STUCK_HOLDER: znode " + path + " does not go by itself: no session stands behind it. "
                                    + "Make sure that its holder has stopped, then: "
                                    + remedy(path, scene.settings()));
        }
    }

    /** Present if this latch is no candidate of Tenure. */
    static Optional<Leader.Foreign> foreign(String path, Stat stat, Participant participant, Settings settings) {
        if (stat.stays()) {
            return Optional.of(new Leader.Foreign(true, remedy(path, settings)));
        }
        // To delete its latch is no remedy: a peer need not watch its own, and may go on leading beside its successor.
        return participant.foreign() ? Optional.of(new Leader.Foreign(false, "stop its process")) : Optional.empty();
    }

    private static String remedy(String path, Settings settings) {
        return "zkCli.sh -server " + settings.connectString() + " delete '" + path.replace("'", "'\\''") + "'";
    }
}
