package dev.tenure.peers;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.Door;
import dev.tenure.spi.Host;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;

class RaftContractTest extends BackendContract {
    private static final TrioPool GROUPS = new TrioPool("algorithm=raft");

    @Override
    protected Door connect(String namespace, Host host) {
        return new KeptOpen(GROUPS.door(namespace));
    }

    /** Somebody who only looks. */
    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(GROUPS.of(namespace).url());
    }

    @AfterAll
    static void closeTheGroups() {
        GROUPS.close();
    }
}
