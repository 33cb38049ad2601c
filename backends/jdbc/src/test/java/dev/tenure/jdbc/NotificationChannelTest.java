// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NotificationChannelTest {
    @Test
    void a_table_is_named_with_its_schema_or_without() {
        assertThat(new NotificationListener.Channel("tenure_records").expression())
                .startsWith("'tenure_records_'");
        assertThat(new NotificationListener.Channel("elections.tenure_records").expression())
                .startsWith("'tenure_records_'");
    }
}
