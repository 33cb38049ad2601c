package dev.tenure.spring.boot;

import dev.tenure.Grade;
import dev.tenure.Overdue;
import dev.tenure.spring.TenureLifecycle.StandAt;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** The settings of the client and of its elections. */
@ConfigurationProperties("tenure")
public class TenureProperties {
    /** The store: datasource for the application's own database, or a URL such as etcd://host:2379/billing. */
    private @Nullable String url;

    /** How long this process may be silent before others take over. 10 s, or what is usual with the store. */
    private @Nullable Duration ttl;

    /** What operators call this process. Host, process id and a random part if empty. */
    private @Nullable String node;

    /** The least grade that the store must have. */
    private @Nullable Grade requireGrade;

    /** Whether elections without a fence are allowed on a store that can have two leaders. */
    private boolean acknowledgeBestEffort;

    /** A file with the password for the store of the URL. */
    private @Nullable String passwordFile;

    /** When the application stands in its elections. */
    private StandAt stand = StandAt.READY;

    /** The election whose leader alone answers the health group 'leader' with 200: for load balancers. No such group if empty. */
    private @Nullable String leaderGroup;

    private final Ssl ssl = new Ssl();

    /** How the application stands, by the name of the election. Those that no annotation names are stood in too. */
    private final Map<String, Election> elections = new LinkedHashMap<>();

    public @Nullable String getUrl() {
        return url;
    }

    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    public @Nullable Duration getTtl() {
        return ttl;
    }

    public void setTtl(@Nullable Duration ttl) {
        this.ttl = ttl;
    }

    public @Nullable String getNode() {
        return node;
    }

    public void setNode(@Nullable String node) {
        this.node = node;
    }

    public @Nullable Grade getRequireGrade() {
        return requireGrade;
    }

    public void setRequireGrade(@Nullable Grade requireGrade) {
        this.requireGrade = requireGrade;
    }

    public boolean isAcknowledgeBestEffort() {
        return acknowledgeBestEffort;
    }

    public void setAcknowledgeBestEffort(boolean acknowledgeBestEffort) {
        this.acknowledgeBestEffort = acknowledgeBestEffort;
    }

    public @Nullable String getPasswordFile() {
        return passwordFile;
    }

    public void setPasswordFile(@Nullable String passwordFile) {
        this.passwordFile = passwordFile;
    }

    public StandAt getStand() {
        return stand;
    }

    public void setStand(StandAt stand) {
        this.stand = stand;
    }

    public @Nullable String getLeaderGroup() {
        return leaderGroup;
    }

    public void setLeaderGroup(@Nullable String leaderGroup) {
        this.leaderGroup = leaderGroup;
    }

    public Ssl getSsl() {
        return ssl;
    }

    public Map<String, Election> getElections() {
        return elections;
    }

    /** TLS to the store. */
    public static class Ssl {
        /** An SSL bundle of files, for a store that is named by a URL and speaks TLS. */
        private @Nullable String bundle;

        public @Nullable String getBundle() {
            return bundle;
        }

        public void setBundle(@Nullable String bundle) {
            this.bundle = bundle;
        }
    }

    /**
     * One election.
     *
     * @param drain How long its work may take to stop; a fifth of the TTL if empty.
     * @param coolDown How long to stand back after a failure; half the TTL if empty.
     * @param onOverdue What happens when its work has not stopped in time.
     * @param fencedBy Names of beans of type Fence, raised before its work starts.
     */
    public record Election(
            @Nullable Duration drain,
            @Nullable Duration coolDown,
            @Nullable Overdue onOverdue,
            @DefaultValue List<String> fencedBy) {}
}
