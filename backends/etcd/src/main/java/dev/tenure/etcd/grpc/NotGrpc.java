package dev.tenure.etcd.grpc;

import java.io.IOException;

/** Something else than a gRPC server listens there. */
public final class NotGrpc extends IOException {
    private static final long serialVersionUID = 1L;

    NotGrpc(String why) {
        super(why);
    }
}
