// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.peers.group.PeerSecurity;
import dev.tenure.peers.group.PeerSecurity.GroupSecret;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.spi.BackendUrl;
import dev.tenure.testing.VirtualHost;
import dev.tenure.testing.VirtualTime;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two sides that introduce themselves, over a connection in memory. What TLS does is tested in {@link SecurityTest}. */
class HandshakeTest {
    private static final GroupSecret SECRET = new GroupSecret("a secret of sixteen");
    private static final GroupSecret OTHER = new GroupSecret("another one of twenty");
    private static final String MEMBERS = "peers://a@localhost:7001,b@localhost:7002,c@localhost:7003";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final PipedInputStream toCaller = new PipedInputStream();
    private final PipedInputStream toCalled = new PipedInputStream();
    private FrameCodec caller = new FrameCodec(toCaller, new PipedOutputStream());
    private FrameCodec called = new FrameCodec(toCalled, new PipedOutputStream());

    @BeforeEach
    void connect() throws IOException {
        caller = new FrameCodec(toCaller, new PipedOutputStream(toCalled));
        called = new FrameCodec(toCalled, new PipedOutputStream(toCaller));
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static PeersSettings settings(String me, String options, GroupSecret secret) {
        String url = MEMBERS + "?me=" + me + "&data=/none" + options;
        PeersSettings plain = PeersSettings.of(BackendUrl.parse(url), Map.of());
        return new PeersSettings(
                plain.membership(),
                plain.rules(),
                plain.profile(),
                plain.data(),
                plain.bind(),
                new PeerSecurity(Optional.empty(), secret));
    }

    private static Handshake handshake(PeersSettings settings) {
        return new Handshake(settings, new VirtualHost("h", new VirtualTime(), 7), 1000);
    }

    private Future<Handshake.Hello> call(PeersSettings settings) {
        Callable<Handshake.Hello> call = () -> handshake(settings)
                .call(new Socket(), caller, settings.membership().members().get(1));
        return threads.submit(call);
    }

    private Future<Handshake.Hello> answer(PeersSettings settings) {
        return threads.submit(() -> handshake(settings).answer(new Socket(), called, theirs -> {}));
    }

    private void assertBothAreTold(PeersSettings calling, PeersSettings answering, String sentence) {
        Future<Handshake.Hello> answered = answer(answering);
        Future<Handshake.Hello> call = call(calling);

        assertThatThrownBy(call::get)
                .hasRootCauseInstanceOf(ProtocolException.class)
                .hasMessageContaining(sentence);
        assertThatThrownBy(answered::get)
                .hasRootCauseInstanceOf(ProtocolException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void members_that_know_the_same_secret_learn_of_each_other_and_the_called_does_not_send_it() throws Exception {
        Future<Handshake.Hello> answered = answer(settings("b", "", SECRET));

        Handshake.Hello theirs = call(settings("a", "", SECRET)).get();

        assertThat(answered.get().from()).isEqualTo("a");
        assertThat(theirs.from()).isEqualTo("b");
        assertThat(theirs.base()).isEqualTo(1000);
        assertThat(theirs.secret()).isEqualTo(GroupSecret.NONE);
    }

    @Test
    void another_secret_is_refused_with_a_sentence_that_tells_nothing_of_the_group() {
        PeersSettings other = settings("b", "&algorithm=quorum", OTHER);

        assertBothAreTold(settings("a", "", SECRET), other, "do not know the same secret");
    }

    @Test
    void a_side_without_a_secret_is_told_that_the_other_has_one() {
        assertBothAreTold(settings("a", "", GroupSecret.NONE), settings("b", "", SECRET), "secret.file");
    }

    @Test
    void another_group_and_another_member_are_refused() {
        assertBothAreTold(settings("a", "", SECRET), settings("b", "&algorithm=quorum", SECRET), "another group");
        assertBothAreTold(settings("a", "", SECRET), settings("c", "", SECRET), "but this is 'c'");
        assertBothAreTold(settings("b", "", SECRET), settings("b", "", SECRET), "already");
    }

    /** As a release would that knows other records. */
    @Test
    void who_speaks_otherwise_is_told_so_and_is_told_so_too() throws Exception {
        Future<Handshake.Hello> answered = answer(settings("b", "", SECRET));

        caller.write(PeerMessage.class, new PeerMessage.Beat());
        caller.flush();

        assertThatThrownBy(answered::get)
                .hasRootCauseInstanceOf(ClassCastException.class)
                .hasMessageContaining("another release of Tenure");
        assertThat(caller.read(Handshake.Opening.class, 4096))
                .isInstanceOfSatisfying(
                        Handshake.Refusal.class,
                        refusal -> assertThat(refusal.sentence()).contains("another release of Tenure"));
    }

    @Test
    void a_refusal_cannot_draw_on_a_terminal() {
        Exception refusal = new ProtocolException("\u001b[2Jgone\u0007");

        assertThat(PeerConnections.reason(refusal)).isEqualTo("?[2Jgone?");
    }

    @Test
    void a_secret_is_not_shown() {
        PeersSettings settings = settings("a", "", SECRET);

        assertThat(settings.toString()).doesNotContain(SECRET.text());
        assertThat(new Handshake.Hello("g", "a", "b", 1, 2, SECRET).toString()).doesNotContain(SECRET.text());
    }
}
