package dev.tenure.peers;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.Door;
import dev.tenure.spi.Host;
import java.util.Optional;

/** The contract on groups of three. */
abstract class GroupContract extends BackendContract {
    abstract TrioPool groups();

    @Override
    protected Door connect(String namespace, Host host) {
        return new KeptOpen(groups().door(namespace));
    }

    /** Somebody who only looks. */
    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(groups().of(namespace).url());
    }
}
