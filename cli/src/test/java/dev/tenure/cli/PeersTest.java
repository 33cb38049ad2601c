// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.support.Ports;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group without a store, at the command line. */
@Tag("slow")
class PeersTest {
    private static final String HOLDER = "echo $TENURE_HOLDER";

    @TempDir
    private Path folder;

    private String url(String algorithm) {
        return "peers://a@127.0.0.1:" + Ports.free() + "?me=a&algorithm=" + algorithm + "&data="
                + folder.resolve(algorithm);
    }

    @Test
    void a_member_runs_a_command() throws Exception {
        try (Cli cli = new Cli(folder)) {
            Cli.Call call =
                    cli.run("run", "--url", url("raft"), "--election", "e", "--", "sh", "-c", "echo $TENURE_ELECTION");

            assertThat(call.exit()).isZero();
            assertThat(call.out()).isEqualTo("e\n");
        }
    }

    @Test
    void a_member_is_called_by_its_name_unless_it_has_an_id() throws Exception {
        try (Cli cli = new Cli(folder)) {
            Cli.Call named = cli.run("run", "--url", url("raft"), "--election", "e", "--", "sh", "-c", HOLDER);
            Cli.Call told =
                    cli.run("run", "--id", "x", "--url", url("quorum"), "--election", "e", "--", "sh", "-c", HOLDER);

            assertThat(named.out()).isEqualTo("a\n");
            assertThat(told.out()).isEqualTo("x\n");
        }
    }

    @Test
    void a_command_has_no_fence_and_so_no_fast_profile_whatever_is_acknowledged() throws Exception {
        try (Cli cli = new Cli(folder)) {
            String fast = url("raft") + "&profile=fast";
            Cli.Call plain = cli.run("run", "--id", "a", "--url", fast, "--election", "e", "--", "true");
            Cli.Call wanted =
                    cli.run("run", "--id", "a", "--best-effort", "--url", fast, "--election", "e", "--", "true");
            Cli.Call drained = cli.run("run", "--grace", "10ms", "--url", fast, "--election", "e", "--", "true");

            assertThat(plain.exit()).isEqualTo(64);
            assertThat(plain.err())
                    .contains("starts only with a fence", "without it in the store URL", "--best-effort does not");
            assertThat(wanted.exit()).isEqualTo(64);
            assertThat(wanted.err()).isEqualTo(plain.err());
            assertThat(drained.exit()).isEqualTo(64);
            assertThat(drained.err()).contains("starts only with a fence");
        }
    }

    @Test
    void what_is_best_effort_has_to_be_wanted() throws Exception {
        try (Cli cli = new Cli(folder)) {
            Cli.Call refused = cli.run("run", "--url", url("bully"), "--election", "e", "--", "true");
            Cli.Call wanted = cli.run("run", "--best-effort", "--url", url("bully"), "--election", "e", "--", "true");

            assertThat(refused.exit()).isEqualTo(64);
            assertThat(refused.err()).contains("is grade D", "--best-effort");
            assertThat(wanted.exit()).isZero();
        }
    }
}
