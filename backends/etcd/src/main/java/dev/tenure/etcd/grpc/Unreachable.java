package dev.tenure.etcd.grpc;

import java.io.IOException;

/** There was no connection; the cause tells why. */
public final class Unreachable extends IOException {
    private static final long serialVersionUID = 1L;

    Unreachable(IOException cause) {
        super("no connection", cause);
    }
}
