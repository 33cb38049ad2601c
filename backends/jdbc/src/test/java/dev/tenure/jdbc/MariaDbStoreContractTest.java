package dev.tenure.jdbc;

import dev.tenure.contract.LeaseStoreContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;

class MariaDbStoreContractTest extends LeaseStoreContract {
    @Override
    protected LeaseStore open(String namespace, Host host) {
        String url = SharedServers.inNamespace(SharedServers.mariaDb().url(), namespace);
        return new JdbcProvider().connect(BackendUrl.parse(url), host);
    }
}
