package dev.tenure.peers;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Redactor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the URL says: {@code peers://a@h1:7001,b@h2:7001,c@h3:7001?me=a&algorithm=raft&…}.
 *
 * @param bind where to listen, if not where the others call
 */
record PeersSettings(
        Membership membership,
        Rules rules,
        Profile profile,
        Optional<Path> data,
        Optional<String> bind,
        PeerSecurity security) {
    private static final Pattern MEMBER =
            Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]{0,62})@(\\[[0-9A-Fa-f:.]+\\]|[^:@/]+):([0-9]{1,5})");
    private static final int MEMBERS_MAX = 9;
    private static final int PORT_MAX = 65_535;
    private static final Set<String> OPTIONS = Set.of(
            "me", "algorithm", "profile", "data", "bind", "secret.file", "insecure", "tls.ca", "tls.cert", "tls.key");

    static PeersSettings of(BackendUrl url, Map<String, String> environment) {
        url.refuseOptionsBut(OPTIONS);
        Optional<String> me = url.option("me");
        Membership membership = membership(url, me);
        String algorithm = url.option("algorithm").orElse(Rules.RAFT.spelling());
        Rules rules = Rules.named(algorithm)
                .orElseThrow(() -> Trouble.refused("algorithm '" + algorithm
                        + "' is none that a group can use: raft, quorum, bully, ring or chang-roberts"));
        String profile = url.option("profile").orElse("default");
        Profile times = Profile.named(profile)
                .orElseThrow(() -> Trouble.refused("profile '" + profile + "' must be default or fast"));
        Optional<Path> data =
                me.map(name -> url.option("data").map(Path::of).orElseGet(() -> defaultData(membership, environment)));
        return new PeersSettings(membership, rules, times, data, url.option("bind"), PeerSecurity.of(url, membership));
    }

    /** What all members must have in common; it is compared when they greet each other. */
    String agreement() {
        return "members " + membership.names() + ", algorithm " + rules.spelling() + ", times " + profile;
    }

    private static Membership membership(BackendUrl url, Optional<String> me) {
        if (!url.rest().startsWith("//")) {
            throw Trouble.refused("'" + url + "' names no members: " + FORM);
        }
        String list = url.rest().substring(2);
        list = list.endsWith("/") ? list.substring(0, list.length() - 1) : list;
        List<Membership.Peer> peers = new ArrayList<>();
        for (String text : list.split(",", -1)) {
            Matcher form = MEMBER.matcher(text);
            if (!form.matches() || Integer.parseInt(form.group(3)) < 1 || Integer.parseInt(form.group(3)) > PORT_MAX) {
                throw Trouble.refused("'" + shown(text) + "' is not a member: " + FORM);
            }
            String name = form.group(1);
            if (peers.stream().anyMatch(peer -> peer.name().equals(name))) {
                throw Trouble.refused("member '" + name + "' stands twice in the store URL");
            }
            Membership.Peer added = new Membership.Peer(0, name, form.group(2), Integer.parseInt(form.group(3)));
            peers.stream().filter(added::isAtTheAddressOf).findFirst().ifPresent(other -> {
                throw Trouble.refused("members '" + other.name() + "' and '" + name
                        + "' have the same address: each listens at one of its own");
            });
            peers.add(added);
        }
        if (peers.size() > MEMBERS_MAX) {
            throw Trouble.refused(
                    peers.size() + " members are too many for a group in which everybody speaks with everybody: at"
                            + " most " + MEMBERS_MAX);
        }
        return Membership.of(peers, me);
    }

    /** What stands behind a colon may be a password, or a part of one that contains a comma. */
    private static String shown(String member) {
        return member.contains("@") ? Redactor.url(member) : member.replaceFirst(":.*", ":***");
    }

    private static final String FORM = "write peers://a@host1:7001,b@host2:7001,c@host3:7001?me=a";

    /** As the XDG specification has it: a state home that is not absolute is ignored. */
    private static Path defaultData(Membership membership, Map<String, String> environment) {
        String folder = membership.self().name() + "-" + membership.self().port() + "-"
                + Integer.toHexString(membership.names().hashCode());
        String stateHome = environment.getOrDefault("XDG_STATE_HOME", "");
        if (stateHome.startsWith("/")) {
            return Path.of(stateHome, "tenure", "peers", folder);
        }
        String home = environment.getOrDefault("HOME", System.getProperty("user.home", ""));
        if (!home.startsWith("/")) {
            throw Trouble.refused(
                    "there is no home directory for the votes of this member: set HOME or XDG_STATE_HOME, or name a"
                            + " directory with data=DIR");
        }
        return Path.of(home, ".local", "state", "tenure", "peers", folder);
    }
}
