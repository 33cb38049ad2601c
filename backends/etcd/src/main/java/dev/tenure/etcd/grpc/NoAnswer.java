package dev.tenure.etcd.grpc;

import java.io.IOException;

/** It may have arrived or not: the server stayed silent. */
public final class NoAnswer extends IOException {
    private static final long serialVersionUID = 1L;

    public NoAnswer() {
        super("no answer in time");
    }
}
