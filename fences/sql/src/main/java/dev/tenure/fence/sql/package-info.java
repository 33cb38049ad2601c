/** The fence inside a relational database: {@link dev.tenure.fence.sql.FencedSql} for code that knows Tenure, triggers for the rest. */
@NullMarked
package dev.tenure.fence.sql;

import org.jspecify.annotations.NullMarked;
