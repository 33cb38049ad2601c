package dev.tenure.zookeeper;

import java.util.regex.Pattern;

/** How many servers of an ensemble vote, by the configuration that ZooKeeper itself keeps and everybody may read. */
final class VoterCount {
    private static final Pattern VOTER = Pattern.compile("server\\.[0-9]+=(?!.*:observer(;|$)).*");
    /** Servers with weights or in groups: a count of them says nothing. */
    private static final Pattern WEIGHTED = Pattern.compile("(weight|group)\\..*");

    private VoterCount() {}

    /**
     * 0 if it cannot be told. A server without an ensemble keeps an empty text; one that was upgraded from an old version
     * may, too, so it is believed only if the URL names no other server.
     */
    static int of(String config, int servers) {
        if (config.isBlank()) {
            return servers == 1 ? 1 : 0;
        }
        if (config.lines().anyMatch(line -> WEIGHTED.matcher(line).matches())) {
            return 0;
        }
        return (int)
                config.lines().filter(line -> VOTER.matcher(line).matches()).count();
    }
}
