package dev.tenure.peers;

import dev.tenure.Nonce;
import dev.tenure.peers.wire.Hello;
import dev.tenure.peers.wire.Refused;
import dev.tenure.spi.Host;

/** Who this process is to others, and what it asks of them before it speaks with them. */
final class Introduction {
    private static final int NONCES = 2;

    private final PeersSettings settings;
    private final Host host;
    private final long instance;
    private final long base;

    Introduction(PeersSettings settings, Host host, long base) {
        this.settings = settings;
        this.host = host;
        this.instance = host.random();
        this.base = base;
    }

    Hello hello(String to) {
        StringBuilder nonce = new StringBuilder();
        for (int i = 0; i < NONCES; i++) {
            nonce.append(new Nonce(host.random(), host.random()));
        }
        String from = settings.membership().me().map(Membership.Peer::name).orElse(Hello.GUEST);
        return new Hello(settings.agreement(), from, to, instance, base, settings.hasSecret(), nonce.toString());
    }

    void judgeCaller(Hello theirs) throws Refused {
        judgeGroup(theirs);
        String me = settings.membership().self().name();
        if (!theirs.to().equals(me)) {
            throw new Refused("member '" + theirs.to() + "' was called, but this is '" + me
                    + "': the addresses in the store URL differ from what runs there");
        }
        if (theirs.from().equals(me)) {
            throw new Refused(
                    "another process is member '" + me + "' already: every member needs a name of its own (me=NAME)");
        }
    }

    void judgeCalled(Hello theirs, Membership.Peer called) throws Refused {
        judgeGroup(theirs);
        if (!theirs.from().equals(called.name())) {
            throw new Refused("at " + called + " answers member '" + theirs.from() + "'");
        }
    }

    private void judgeGroup(Hello theirs) throws Refused {
        if (!theirs.group().equals(settings.agreement())) {
            throw new Refused("another group: one side has '" + settings.agreement() + "' and the other '"
                    + theirs.group() + "'; members, algorithm and profile must be the same everywhere");
        }
    }
}
