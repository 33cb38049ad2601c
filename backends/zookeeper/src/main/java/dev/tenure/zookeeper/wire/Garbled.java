package dev.tenure.zookeeper.wire;

import java.io.IOException;

/** What came is not ZooKeeper's protocol. Nothing that follows on this connection can be believed. */
final class Garbled extends IOException {
    private static final long serialVersionUID = 1L;

    Garbled(String what) {
        super("the server's answer makes no sense: " + what);
    }
}
