package dev.tenure.faults.network;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The links of one candidate to all servers. They share one weather. */
public final class Links implements AutoCloseable {
    private final Barrier barrier = new Barrier();
    private final List<Link> links = new ArrayList<>();

    /** @param ports of the servers */
    public Links(List<Integer> ports) throws IOException {
        for (int port : ports) {
            links.add(new Link(port, barrier));
        }
    }

    /** Where the servers seem to be, in their order. */
    public List<String> addresses() {
        return links.stream().map(Link::address).toList();
    }

    /** What was held back by the weather before is delivered as soon as this one allows it. */
    public void become(Weather weather) {
        barrier.become(weather);
    }

    /** All connections end, with whatever was on its way in them. */
    public void reset() {
        links.forEach(Link::reset);
    }

    @Override
    public void close() throws IOException {
        for (Link link : links) {
            link.close();
        }
    }
}
