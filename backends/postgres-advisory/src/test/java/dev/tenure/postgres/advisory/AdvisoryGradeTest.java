// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Grade;
import dev.tenure.sql.servers.Postgres;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The grade is what the server says of itself, once it was asked. */
@Tag("server")
class AdvisoryGradeTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    @Test
    void a_server_alone_is_grade_c_also_for_one_who_only_looks() {
        try (Side side = new Side(AdvisoryServer.url("graded"))) {
            side.ask(side.backend()::list);

            assertThat(side.backend().traits().grade()).isEqualTo(Grade.C);
            assertThat(side.backend().traits().gradeReason()).contains("failover");
        }
    }

    @Test
    void a_server_with_a_synchronous_standby_is_grade_b_for_candidates_and_for_who_looks() {
        try (Postgres primary = Postgres.running();
                Postgres standby = primary.standby();
                Side candidate = new Side(AdvisoryServer.url(primary.port(), "graded"));
                Side looks = new Side(AdvisoryServer.url(primary.port(), "graded"))) {
            primary.waitForStandbys();

            candidate.open(TTL);
            looks.ask(looks.backend()::list);

            assertThat(standby.isRunning()).isTrue();
            assertThat(candidate.backend().traits().grade()).isEqualTo(Grade.B);
            assertThat(looks.backend().traits().grade()).isEqualTo(Grade.B);
            assertThat(looks.backend().traits().gradeReason()).doesNotContain("not asked");
        }
    }
}
