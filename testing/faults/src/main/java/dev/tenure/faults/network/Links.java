// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.network;

import dev.tenure.support.NetworkConditions;
import dev.tenure.support.TcpLink;
import java.util.List;

/** The links of one candidate to all servers. */
public final class Links implements AutoCloseable {
    private final List<TcpLink> links;

    /** @param ports of the servers */
    public Links(List<Integer> ports) {
        links = ports.stream().map(TcpLink::new).toList();
    }

    /** Where the servers seem to be, in their order. */
    public List<String> addresses() {
        return links.stream().map(TcpLink::address).toList();
    }

    /** What was held back is delivered as soon as these conditions allow it. */
    public void become(NetworkConditions conditions) {
        links.forEach(link -> link.become(conditions));
    }

    /** All connections end, with whatever was on its way in them. */
    public void reset() {
        links.forEach(TcpLink::closeConnections);
    }

    @Override
    public void close() {
        links.forEach(TcpLink::close);
    }
}
