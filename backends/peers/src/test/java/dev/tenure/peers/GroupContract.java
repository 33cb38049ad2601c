// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.util.Optional;

/** The contract on groups of three. */
abstract class GroupContract extends BackendContract {
    abstract TrioPool groups();

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return new KeptOpen(groups().door(namespace));
    }

    /** Somebody who only looks. */
    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(groups().of(namespace).url());
    }
}
