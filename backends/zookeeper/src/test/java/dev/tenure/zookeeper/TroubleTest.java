// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.support.Ports;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.UUID;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each kind of trouble has its own sentence, and comes in bounded time. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class TroubleTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final ElectionName ELECTION = ElectionName.of("e");

    private static AbstractThrowableAssert<?, ?> assertRefused(String url, BackendException.Kind kind) {
        long begunNanos = System.nanoTime();
        try (Actor actor = new Actor(url)) {
            AbstractThrowableAssert<?, ?> refused = assertThatThrownBy(() -> actor.open(TTL))
                    .cause()
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(kind));
            assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isLessThan(BOUND);
            return refused;
        }
    }

    @Test
    void nobody_listens() throws Exception {
        try (Socket nobody = Ports.refusing()) {
            String server = "127.0.0.1:" + nobody.getLocalPort();

            assertRefused("zk://" + server, BackendException.Kind.UNREACHABLE)
                    .hasMessageContaining(server + " cannot be connected to");
        }
    }

    @Test
    void no_such_host() {
        assertRefused("zk://no-such-host.invalid:2181", BackendException.Kind.UNREACHABLE)
                .hasMessageContaining("unknown host");
    }

    @Test
    void somebody_listens_who_never_answers() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertRefused("zk://127.0.0.1:" + silent.getLocalPort(), BackendException.Kind.UNREACHABLE)
                    .hasMessageContaining("does not let the client in");
        }
    }

    @Test
    void a_wrong_password_is_told_apart_from_a_store_that_is_down() throws Exception {
        String place = Ensemble.shared().addresses() + "/trouble-" + UUID.randomUUID();
        try (Actor owner = Actor.open("zk://me:right@" + place, TTL)) {
            owner.take(ELECTION);

            assertRefused("zk://me:wrong@" + place, BackendException.Kind.MISCONFIGURED)
                    .hasMessageContaining("user 'me'")
                    .hasMessageContaining("password is wrong")
                    .message()
                    .doesNotContain(":wrong");
            assertRefused("zk://" + place, BackendException.Kind.MISCONFIGURED)
                    .hasMessageContaining("ACL of that znode names somebody else");
            try (Actor same = Actor.open("zk://me:right@" + place, TTL)) {
                assertThat(same.claim(ELECTION, same.nonce())).isNotNull();
            }
        }
    }

    @Test
    void a_path_that_holds_something_else_is_left_alone() throws Exception {
        String path = "/foreign-" + UUID.randomUUID();
        try (Operator operator = new Operator()) {
            operator.create(path, "");
            operator.create(path + "/e", "not ours");

            assertRefused(Ensemble.shared().url(path), BackendException.Kind.CORRUPT)
                    .hasMessageContaining(path + "/e")
                    .hasMessageContaining("Nothing was changed");
            assertThat(operator.data(path + "/e")).isEqualTo("not ours");
        }
    }
}
