// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.contract.LeaseStoreContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class MariaDbStoreContractTest extends LeaseStoreContract {
    @Override
    protected LeaseStore open(String namespace, Host host) {
        String url = SharedServers.inNamespace(SharedServers.mariaDb().url(), namespace);
        return new JdbcProvider().connect(BackendUrl.parse(url), host);
    }
}
