package dev.tenure.zookeeper.wire;

import java.util.List;

/** Called on any thread, one at a time, in the order in which it came about; must not wait. */
public interface WireListener {
    /** Let in, for the first time or again with the same session. What a server said of before may have been missed. */
    void connected();

    /** The servers do not know the session any more. */
    void expired();

    /** The servers do not believe this client to be who it says. */
    void notBelieved();

    /** Something happened to a znode that was watched by {@link Wire#watch(List, Reply)}. */
    void happened(Event event);
}
