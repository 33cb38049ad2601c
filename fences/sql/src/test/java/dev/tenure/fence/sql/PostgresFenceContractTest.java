// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.contract.FenceContract;
import dev.tenure.contract.GuardedResource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Every way through the fence keeps what fences keep. */
@Tag("server")
class PostgresFenceContractTest {
    @Nested
    class By_write extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.POSTGRESQL, resource, GuardedTable.WRITE);
        }
    }

    @Nested
    class By_update extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.POSTGRESQL, resource, GuardedTable.UPDATE);
        }
    }

    @Nested
    class In_a_transaction_of_the_users_own extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.POSTGRESQL, resource, GuardedTable.entering(Database.POSTGRESQL));
        }
    }

    @Nested
    class By_data_source extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.POSTGRESQL, resource, GuardedTable.byDataSource());
        }
    }

    @Nested
    class By_data_source_with_autocommit extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.POSTGRESQL, resource, GuardedTable.byDataSourceWithAutocommit());
        }
    }
}
