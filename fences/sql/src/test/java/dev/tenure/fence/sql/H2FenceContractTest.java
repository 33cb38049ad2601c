// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.contract.FenceContract;
import dev.tenure.contract.GuardedResource;
import org.junit.jupiter.api.Nested;

/** Every way through the fence keeps what fences keep. */
class H2FenceContractTest {
    @Nested
    class By_write extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.H2, resource, GuardedTable.WRITE);
        }
    }

    @Nested
    class By_update extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.H2, resource, GuardedTable.UPDATE);
        }
    }

    @Nested
    class In_a_transaction_of_the_users_own extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.H2, resource, GuardedTable.entering(Database.H2));
        }
    }

    @Nested
    class By_data_source extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.H2, resource, GuardedTable.byDataSource());
        }
    }

    @Nested
    class By_data_source_with_autocommit extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.H2, resource, GuardedTable.byDataSourceWithAutocommit());
        }
    }
}
