package dev.tenure.peers;

import dev.tenure.peers.wire.Secret;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendUrl;
import dev.tenure.wire.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
        Secret secret,
        boolean hasSecret,
        Optional<Tls> tls) {
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
                .orElseThrow(() -> refused("algorithm '" + algorithm
                        + "' is none that a group can use: raft, quorum, bully, ring or chang-roberts"));
        String profile = url.option("profile").orElse("default");
        Profile times =
                Profile.named(profile).orElseThrow(() -> refused("profile '" + profile + "' must be default or fast"));
        Optional<Secret> secret = url.option("secret.file").map(PeersSettings::secretIn);
        Optional<Tls> tls = tls(url);
        if (secret.isEmpty() && tls.isEmpty() && !flag(url, "insecure")) {
            membership.members().forEach(PeersSettings::requireLoopback);
        }
        Optional<Path> data =
                me.map(name -> url.option("data").map(Path::of).orElseGet(() -> defaultData(membership, environment)));
        return new PeersSettings(
                membership,
                rules,
                times,
                data,
                url.option("bind"),
                secret.orElseGet(Secret::none),
                secret.isPresent(),
                tls);
    }

    /** What all members must have in common; it is compared when they greet each other. */
    String agreement() {
        return "members " + membership.names() + ", algorithm " + rules.spelling() + ", times " + profile;
    }

    private static Membership membership(BackendUrl url, Optional<String> me) {
        if (!url.rest().startsWith("//")) {
            throw refused("'" + url + "' names no members: " + FORM);
        }
        String list = url.rest().substring(2);
        list = list.endsWith("/") ? list.substring(0, list.length() - 1) : list;
        List<Membership.Peer> peers = new ArrayList<>();
        for (String text : list.split(",", -1)) {
            Matcher form = MEMBER.matcher(text);
            if (!form.matches() || Integer.parseInt(form.group(3)) < 1 || Integer.parseInt(form.group(3)) > PORT_MAX) {
                throw refused("'" + text + "' is not a member: " + FORM);
            }
            String name = form.group(1);
            if (peers.stream().anyMatch(peer -> peer.name().equals(name))) {
                throw refused("member '" + name + "' stands twice in the store URL");
            }
            Membership.Peer added = new Membership.Peer(0, name, form.group(2), Integer.parseInt(form.group(3)));
            peers.stream().filter(added::isAtTheAddressOf).findFirst().ifPresent(other -> {
                throw refused("members '" + other.name() + "' and '" + name + "' have the same address: each listens"
                        + " at one of its own");
            });
            peers.add(added);
        }
        if (peers.size() > MEMBERS_MAX) {
            throw refused(
                    peers.size() + " members are too many for a group in which everybody speaks with everybody: at"
                            + " most " + MEMBERS_MAX);
        }
        if (me.isPresent() && peers.stream().noneMatch(peer -> peer.name().equals(me.get()))) {
            throw refused("me=" + me.get() + " is none of the members " + list);
        }
        return Membership.of(peers, me);
    }

    private static final String FORM = "write peers://a@host1:7001,b@host2:7001,c@host3:7001?me=a";

    private static void requireLoopback(Membership.Peer peer) {
        boolean loopback;
        try {
            loopback = InetAddress.getByName(peer.host()).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            loopback = false;
        }
        if (!loopback) {
            throw refused(
                    "member " + peer + " is on a network, and nothing proves who speaks there: name a shared secret"
                            + " with secret.file=FILE, or certificates with tls.ca, tls.cert and tls.key. On a network that nobody"
                            + " else can reach, insecure=true does without");
        }
    }

    private static Secret secretIn(String file) {
        try {
            return Secret.of(Files.readString(Path.of(file)).strip().getBytes(StandardCharsets.UTF_8));
        } catch (IOException unreadable) {
            throw new BackendException(
                    Effect.NONE, Kind.MISCONFIGURED, "the secret file " + file + " cannot be read", unreadable);
        } catch (IllegalArgumentException tooShort) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "the secret file " + file + " cannot be used: " + tooShort.getMessage(),
                    tooShort);
        }
    }

    private static Optional<Tls> tls(BackendUrl url) {
        Optional<Path> authorities = url.option("tls.ca").map(Path::of);
        Optional<Path> certificate = url.option("tls.cert").map(Path::of);
        Optional<Path> key = url.option("tls.key").map(Path::of);
        if (authorities.isEmpty() && certificate.isEmpty() && key.isEmpty()) {
            return Optional.empty();
        }
        if (authorities.isEmpty() || certificate.isEmpty() || key.isEmpty()) {
            throw refused("tls.ca, tls.cert and tls.key belong together: both sides of every line show a certificate");
        }
        return Optional.of(new Tls(authorities, certificate, key));
    }

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
            throw refused(
                    "there is no home directory for the votes of this member: set HOME or XDG_STATE_HOME, or name a"
                            + " directory with data=DIR");
        }
        return Path.of(home, ".local", "state", "tenure", "peers", folder);
    }

    private static boolean flag(BackendUrl url, String name) {
        String value = url.option(name).orElse("false");
        if (!value.equals("true") && !value.equals("false")) {
            throw refused("option " + name + " '" + value + "' must be true or false");
        }
        return value.equals("true");
    }

    private static BackendException refused(String sentence) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence);
    }
}
