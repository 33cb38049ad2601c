package dev.tenure.peers.wire;

import java.io.IOException;

/** What came over the line cannot be from a member of this group: the line is closed, and nothing of it is believed. */
public final class Garbled extends IOException {
    private static final long serialVersionUID = 1L;

    public Garbled(String why) {
        super(why);
    }
}
