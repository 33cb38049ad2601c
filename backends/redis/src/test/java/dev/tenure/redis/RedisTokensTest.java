// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Leadership;
import dev.tenure.redis.servers.RedisServer;
import dev.tenure.redis.servers.RedisServer.Product;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens from a store that loses nothing. */
@Tag("server")
class RedisTokensTest {
    @TempDir
    private Path folder;

    @Test
    void tokens_are_drawn_from_the_store_of_the_url_and_survive_what_redis_loses() throws Exception {
        try (RedisServer server = RedisServer.running();
                Stander one = Stander.at(server.url() + "?tokens=local:" + folder)) {
            Leadership first = one.awaitLeadership();

            server.ask(client -> client.flushAll());

            one.awaitLoss();
            Leadership second = one.awaitLeadership();
            assertThat(second.token()).isGreaterThan(first.token());
            assertThat(folder).isNotEmptyDirectory();
        }
    }

    @Test
    void only_a_store_that_keeps_records_and_loses_none_can_issue_tokens() {
        String server = SharedServers.url(Product.REDIS, "tokens");
        assertThatThrownBy(() -> StoreCall.read(server + "&tokens=redis://:secret-one@127.0.0.1"))
                .hasMessageContaining("tokens cannot be drawn from")
                .hasMessageNotContaining("secret-one");
        assertThatThrownBy(() -> StoreCall.read(server + "&tokens=nothing:here"))
                .hasMessageContaining("no backend for 'nothing:'");
    }
}
