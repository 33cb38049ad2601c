// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an answer means for core, and the one sentence for people. */
class ApiErrorsTest {
    private static final KubernetesSettings SETTINGS = new KubernetesSettings(
            new ConfigBuilder(Config.empty())
                    .withMasterUrl("https://api.example:6443")
                    .build(),
            "billing",
            false,
            Duration.ofSeconds(3));

    @ParameterizedTest
    @CsvSource({
        "401, NONE, MISCONFIGURED, service account",
        "403, NONE, MISCONFIGURED, tenure kubernetes rbac --namespace billing",
        "404, NONE, MISCONFIGURED, kubectl create namespace billing",
        "422, NONE, MISCONFIGURED, cannot do the update",
        "429, NONE, UNREACHABLE, FlowSchema",
        "500, UNKNOWN, UNREACHABLE, failed at the update",
        "503, UNKNOWN, UNREACHABLE, failed at the update",
        "504, UNKNOWN, UNREACHABLE, failed at the update"
    })
    void an_answer_says_what_has_happened_and_what_helps(int code, Effect effect, Kind kind, String helps) {
        BackendException error = ApiErrors.of(SETTINGS, "update", code, "{}");

        assertThat(error.effect()).isEqualTo(effect);
        assertThat(error.kind()).isEqualTo(kind);
        assertThat(error).hasMessageContaining(helps);
        assertThat(error.getMessage().lines()).hasSize(1);
    }

    @Test
    void a_sentence_of_the_server_is_shown_and_a_page_of_something_else_is_not() {
        String quota = "exceeded quota: leases";
        String terminating = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"" + quota + "\"}";

        assertThat(ApiErrors.of(SETTINGS, "create", 403, terminating)).hasMessageContaining(quota);
        assertThat(ApiErrors.of(SETTINGS, "create", 403, "<html>a proxy with a cookie</html>"))
                .hasMessageContaining("does not say why")
                .hasMessageNotContaining("cookie");
    }

    @Test
    void only_a_request_that_never_left_has_surely_changed_nothing() {
        assertThat(ApiErrors.of(SETTINGS, new ConnectException("refused")).effect())
                .isEqualTo(Effect.NONE);
        assertThat(ApiErrors.of(SETTINGS, new IOException("connection reset")).effect())
                .isEqualTo(Effect.UNKNOWN);
    }
}
