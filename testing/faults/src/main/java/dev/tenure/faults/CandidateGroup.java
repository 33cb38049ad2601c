// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.candidate.CandidateProcess;
import dev.tenure.faults.ledger.FencedLedger;
import dev.tenure.faults.network.Links;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.support.Folders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Three candidates, each with links of its own to the store, and the ledger. Closing it ends them all. */
final class CandidateGroup implements AutoCloseable {
    private static final List<String> NODES = List.of("ada", "bob", "cy");

    private final StoreUnderTest store;
    private final FencedLedger ledger;
    private final Path folder;
    private final Map<String, Links> links = new HashMap<>();
    private final Map<String, CandidateProcess> processes = new HashMap<>();

    CandidateGroup(StoreUnderTest store, Setup setup) throws IOException {
        this.store = store;
        this.ledger = new FencedLedger(setup.staleWrites());
        this.folder = Folders.temporary("faults");
        for (String node : NODES) {
            Links own = new Links(store.ports());
            links.put(node, own);
            String url = store.url(own.addresses());
            processes.put(
                    node,
                    CandidateProcess.start(new CandidateProcess.Role(
                            node, url, ledger.port(), setup.ttl(), setup.mode(), folder.resolve(node + ".log"))));
        }
    }

    StoreUnderTest store() {
        return store;
    }

    FencedLedger ledger() {
        return ledger;
    }

    /** Where the candidates' logs are. */
    Path folder() {
        return folder;
    }

    Links links(String node) {
        return of(links, node);
    }

    CandidateProcess process(String node) {
        return of(processes, node);
    }

    boolean allStand() {
        return NODES.stream().allMatch(ledger.history()::isReady);
    }

    /** The candidates that have ended without an order to. */
    List<String> ended() {
        return processes.values().stream()
                .filter(process -> !process.isAlive())
                .map(CandidateProcess::node)
                .sorted()
                .toList();
    }

    private static <T> T of(Map<String, T> all, String node) {
        T found = all.get(node);
        if (found == null) {
            throw new IllegalArgumentException("no candidate is called " + node);
        }
        return found;
    }

    @Override
    public void close() throws InterruptedException {
        for (CandidateProcess process : processes.values()) {
            process.close();
        }
        links.values().forEach(Links::close);
        ledger.close();
    }

    /** When nothing went wrong, nobody reads them. */
    void removeLogs() {
        Folders.delete(folder);
    }
}
