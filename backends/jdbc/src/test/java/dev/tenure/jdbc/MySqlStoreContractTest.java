// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.contract.LeaseStoreContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Only where the newest suite of Debian can be had: no other has MySQL. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("all")
@Tag("server")
@EnabledIf(value = "dev.tenure.jdbc.SharedServers#hasMySql", disabledReason = "no MySQL can be had here")
class MySqlStoreContractTest extends LeaseStoreContract {
    @Override
    protected LeaseStore open(String namespace, Host host) {
        String url = SharedServers.inNamespace(SharedServers.mySql().url(), namespace);
        return new JdbcProvider().connect(BackendUrl.parse(url), host);
    }
}
