// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.store.BenchStore;
import java.util.List;

/** One question to all contenders on one store. */
interface PeerMeasurement {
    List<Figure> measure(BenchStore store, Settings settings) throws Exception;
}
