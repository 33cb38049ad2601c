package dev.tenure.fence.sql;

import dev.tenure.contract.FenceContract;
import dev.tenure.contract.GuardedResource;
import org.junit.jupiter.api.Nested;

/** Every way through the fence keeps what fences keep. */
class PostgresFenceContractTest {
    @Nested
    class By_write extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            return new GuardedTable(Database.POSTGRESQL, resource, GuardedTable.WRITE);
        }
    }

    @Nested
    class By_write_that_compares_at_the_commit extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            FencedSql fence = FencedSql.guarding(LimitedPool.shared(), resource).comparingAtCommit();
            return new GuardedTable(Database.POSTGRESQL, resource, fence, GuardedTable.WRITE);
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
    class By_update_without_settings extends FenceContract {
        @Override
        protected GuardedResource open(String resource) throws Exception {
            FencedSql fence = FencedSql.guarding(LimitedPool.shared(), resource).comparingAtCommit();
            return new GuardedTable(Database.POSTGRESQL, resource, fence, GuardedTable.UPDATE);
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
