// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.contract.FenceContract;
import dev.tenure.contract.GuardedResource;
import org.junit.jupiter.api.Tag;

/** Triggers keep what fences keep. */
@Tag("server")
class MariaDbTriggerContractTest extends FenceContract {
    @Override
    protected GuardedResource open(String resource) throws Exception {
        return new TriggeredTable(Database.MARIADB, resource);
    }
}
