package dev.tenure.bench.peers;

import dev.tenure.bench.peers.store.Store;
import java.util.List;

/** One question to all contenders on one store. */
interface Measurement {
    List<Figure> measure(Store store, Settings settings) throws Exception;
}
