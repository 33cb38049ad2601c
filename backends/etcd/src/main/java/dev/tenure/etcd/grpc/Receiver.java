package dev.tenure.etcd.grpc;

import java.io.IOException;

/** Who hears what comes on one stream. Called on the thread that reads the network, so it must return at once. */
public interface Receiver {
    void received(Message message);

    /** Nothing comes after this. */
    void ended(IOException why);
}
