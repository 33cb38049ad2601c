// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.group;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Redactor;
import dev.tenure.spi.support.StoreUrl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the URL says: {@code peers://a@h1:7001,b@h2:7001,c@h3:7001?me=a&algorithm=raft&…}.
 *
 * @param bind where to listen, if not where the others call
 */
public record PeersSettings(
        Membership membership,
        AlgorithmAdapter rules,
        TimingProfile profile,
        Optional<Path> data,
        Optional<String> bind,
        PeerSecurity security) {
    /** More are not heard of: a process that knows the secret could fill the memory with names. */
    public static final int ELECTIONS_MAX = 20_000;

    private static final String FORM = "peers://a@host1:7001,b@host2:7001,c@host3:7001?me=a";
    private static final Pattern MEMBER =
            Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]{0,62})@(\\[[0-9A-Fa-f:.]+\\]|[^:@/]+):([0-9]{1,5})");
    private static final int MEMBERS_MAX = 9;
    private static final int PORT_MAX = 65_535;
    private static final Set<String> OPTIONS = Set.of(
            "me", "algorithm", "profile", "data", "bind", "secret.file", "insecure", "tls.ca", "tls.cert", "tls.key");

    public static PeersSettings of(BackendUrl url, Map<String, String> environment) {
        url.refuseOptionsBut(OPTIONS);
        Optional<String> me = url.option("me");
        Membership membership = membership(url, me);
        String algorithm = url.option("algorithm").orElse(AlgorithmAdapter.RAFT.spelling());
        AlgorithmAdapter rules = AlgorithmAdapter.named(algorithm)
                .orElseThrow(() -> StoreUrl.refused("algorithm '" + algorithm
                        + "' is none that a group can use: raft, quorum, bully, ring or chang-roberts"));
        String profile = url.option("profile").orElse("default");
        TimingProfile times = TimingProfile.named(profile)
                .orElseThrow(() -> StoreUrl.refused("profile '" + profile + "' must be default or fast"));
        Optional<Path> data =
                me.map(name -> url.option("data").map(Path::of).orElseGet(() -> defaultData(membership, environment)));
        PeerSecurity security = PeerSecurity.of(StoreUrl.of(url, FORM, OPTIONS), membership);
        return new PeersSettings(membership, rules, times, data, url.option("bind"), security);
    }

    /** What all members must have in common; it is compared when they greet each other. */
    public String agreement() {
        return "members " + membership.names() + ", algorithm " + rules.spelling() + ", times " + profile;
    }

    private static Membership membership(BackendUrl url, Optional<String> me) {
        if (!url.rest().startsWith("//")) {
            throw StoreUrl.refused("'" + url + "' names no members: write " + FORM);
        }
        String list = url.rest().substring(2);
        list = list.endsWith("/") ? list.substring(0, list.length() - 1) : list;
        List<Membership.Peer> peers = new ArrayList<>();
        for (String text : list.split(",", -1)) {
            Matcher form = MEMBER.matcher(text);
            if (!form.matches() || Integer.parseInt(form.group(3)) < 1 || Integer.parseInt(form.group(3)) > PORT_MAX) {
                throw StoreUrl.refused("'" + shown(text) + "' is not a member: write " + FORM);
            }
            String name = form.group(1);
            if (peers.stream().anyMatch(peer -> peer.name().equals(name))) {
                throw StoreUrl.refused("member '" + name + "' stands twice in the store URL");
            }
            Membership.Peer added = new Membership.Peer(0, name, form.group(2), Integer.parseInt(form.group(3)));
            peers.stream().filter(added::isAtTheAddressOf).findFirst().ifPresent(other -> {
                throw StoreUrl.refused("members '" + other.name() + "' and '" + name
                        + "' have the same address: each listens at one of its own");
            });
            peers.add(added);
        }
        if (peers.size() > MEMBERS_MAX) {
            throw StoreUrl.refused(
                    peers.size() + " members are too many for a group in which everybody speaks with everybody: at"
                            + " most " + MEMBERS_MAX);
        }
        return Membership.of(peers, me);
    }

    /** What stands behind a colon may be a password, or a part of one that contains a comma. */
    private static String shown(String member) {
        return member.contains("@") ? Redactor.url(member) : member.replaceFirst(":.*", ":***");
    }

    private static Path defaultData(Membership membership, Map<String, String> environment) {
        String folder = membership.self().name() + "-" + membership.self().port() + "-"
                + Integer.toHexString(membership.names().hashCode());
        return StoreUrl.stateHome(environment)
                .orElseThrow(() -> StoreUrl.refused(
                        "there is no home directory for the votes of this member: set HOME or XDG_STATE_HOME, or name a"
                                + " directory with data=DIR"))
                .resolve(Path.of("tenure", "peers", folder));
    }

    /**
     * The members of the group. They have the same numbers everywhere, whatever the order in a URL: the numbers follow the names.
     *
     * @param members by their numbers, which begin at 1
     * @param me nobody, in a process that only observes
     */
    public record Membership(List<Peer> members, Optional<Peer> me) {
        /** One member: its number, its name, and where the others find it. */
        public record Peer(int id, String name, String host, int port) {
            boolean isAtTheAddressOf(Peer other) {
                return host.equalsIgnoreCase(other.host) && port == other.port;
            }

            @Override
            public String toString() {
                return name + "@" + host + ":" + port;
            }
        }

        public static Membership of(List<Peer> unordered, Optional<String> me) {
            List<Peer> members = new ArrayList<>();
            unordered.stream()
                    .sorted(Comparator.comparing(Peer::name))
                    .forEach(peer -> members.add(new Peer(members.size() + 1, peer.name(), peer.host(), peer.port())));
            Membership observed = new Membership(List.copyOf(members), Optional.empty());
            return new Membership(
                    observed.members,
                    me.map(name -> observed.named(name)
                            .orElseThrow(() -> StoreUrl.refused("me=" + name + " is none of the members " + members))));
        }

        public int majority() {
            return members.size() / 2 + 1;
        }

        public Peer self() {
            return me.orElseThrow();
        }

        public boolean isMe(int id) {
            return me.isPresent() && me.get().id() == id;
        }

        public List<Peer> others() {
            return members.stream().filter(peer -> !isMe(peer.id())).toList();
        }

        public Optional<Peer> named(String name) {
            return members.stream().filter(peer -> peer.name().equals(name)).findFirst();
        }

        public String names() {
            return members.stream().map(Peer::name).collect(Collectors.joining(","));
        }

        public Group group() {
            return new Group(self().id(), members.stream().map(Peer::id).toList());
        }
    }

    /**
     * The times of a group; all members must have the same.
     *
     * @param electionMin for so long after it heard a leader nobody votes for another one. It is also the TTL of a session: what a holder believes
     *     is core's 0.9 of it, less a margin, counted from before the heartbeat was sent
     * @param electionMax the longest time without a leader after which a member stands
     */
    public record TimingProfile(String name, Duration heartbeat, Duration electionMin, Duration electionMax) {
        public static final TimingProfile DEFAULT =
                new TimingProfile("default", Duration.ofMillis(300), Duration.ofMillis(1500), Duration.ofMillis(3000));
        public static final TimingProfile FAST =
                new TimingProfile("fast", Duration.ofMillis(100), Duration.ofMillis(150), Duration.ofMillis(300));

        private static final int RETRIES_PER_TIMEOUT = 10;
        private static final int DOUBLINGS_MAX = 4;
        private static final int REPLIES_PER_TTL = 20;

        public static Optional<TimingProfile> named(String name) {
            return Stream.of(DEFAULT, FAST)
                    .filter(profile -> profile.name.equals(name))
                    .findFirst();
        }

        public Duration ttl() {
            return electionMin;
        }

        /** The longest that a leader may rely on what a majority has answered. */
        public Duration lease() {
            return electionMin.multipliedBy(9).dividedBy(10);
        }

        /** A claim is answered within this time: core waits for 0.15 of the TTL, and then takes the outcome for unknown. */
        public long replyWithinNanos() {
            return ttl().toNanos() / REPLIES_PER_TTL;
        }

        public Effect.SetTimer electionTimer(String name) {
            return new Effect.SetTimer(name, electionMin.toNanos(), electionMax.toNanos());
        }

        /**
         * The time after which a member that wants to lead, and hears no leader, asks again. Later each time: where disks are slow, a
         * member that asks again too soon never receives the answer to what it asked before.
         */
        public long retryNanos(int tries) {
            long firstNanos = electionMin.toNanos() / RETRIES_PER_TIMEOUT;
            return Math.min(electionMin.toNanos(), firstNanos << Math.min(tries, DOUBLINGS_MAX));
        }

        public boolean isFast() {
            return name.equals(FAST.name);
        }

        @Override
        public String toString() {
            return heartbeat.toMillis() + "/" + electionMin.toMillis() + "-" + electionMax.toMillis() + " ms";
        }
    }
}
