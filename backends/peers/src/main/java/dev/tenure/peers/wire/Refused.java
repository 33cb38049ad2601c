package dev.tenure.peers.wire;

import java.io.IOException;

/** One side does not want the other, for a reason that people can do something about. */
public final class Refused extends IOException {
    private static final long serialVersionUID = 1L;

    public Refused(String why) {
        super(why);
    }
}
