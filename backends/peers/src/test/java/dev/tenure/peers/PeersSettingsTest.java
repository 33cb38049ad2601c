// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.peers.group.AlgorithmAdapter;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.peers.group.PeersSettings.TimingProfile;
import dev.tenure.spi.BackendUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeersSettingsTest {
    private static final String LOCAL = "peers://b@127.0.0.1:7002,a@localhost:7001,c@[::1]:7003";

    @TempDir
    private Path folder;

    private static PeersSettings of(String url) {
        return PeersSettings.of(BackendUrl.parse(url), Map.of("XDG_STATE_HOME", "/state", "HOME", "/home/x"));
    }

    @Test
    void members_have_the_same_numbers_in_whatever_order_they_are_named() {
        PeersSettings settings = of(LOCAL + "?me=b");

        assertThat(settings.membership().names()).isEqualTo("a,b,c");
        assertThat(settings.membership().self().id()).isEqualTo(2);
        assertThat(settings.membership().majority()).isEqualTo(2);
        assertThat(settings.rules()).isEqualTo(AlgorithmAdapter.RAFT);
        assertThat(settings.data().orElseThrow().toString()).startsWith("/state/tenure/peers/b-7002-");
    }

    @Test
    void without_a_name_of_its_own_one_only_looks() {
        assertThat(of(LOCAL).membership().me()).isEmpty();
        assertThat(of(LOCAL).data()).isEmpty();
    }

    @Test
    void members_on_a_network_need_certificates_and_a_secret_needs_them_too() throws Exception {
        String network = "peers://a@10.0.0.1:7001,b@10.0.0.2:7001,c@10.0.0.3:7001?me=a";
        Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef0123456789abcdef\n");

        Certificates certificates = new Certificates(folder).authority("ca").signed("a", "a", "ca", 2);
        String tls = "&" + certificates.options("ca", "a");
        String observer = network.replace("?me=a", "?tls.ca=" + folder.resolve("ca.pem"));

        assertThatThrownBy(() -> of(network)).hasMessageContaining("tls.ca, tls.cert and tls.key");
        assertThatThrownBy(() -> of(network + "&secret.file=" + secret)).hasMessageContaining("needs TLS");
        assertThatThrownBy(() -> of(LOCAL + "?secret.file=" + secret)).hasMessageContaining("needs TLS");
        assertThat(of(network + "&insecure=true").security().tls()).isEmpty();
        assertThat(of(network + tls).security().hasClientCertificates()).isTrue();
        assertThat(of(network + tls + "&secret.file=" + secret).security().hasClientCertificates())
                .isFalse();
        assertThat(of(observer + "&secret.file=" + secret).security().tls()).isPresent();
        assertThatThrownBy(() -> of(observer)).hasMessageContaining("belong together");
        assertThatThrownBy(() -> of(observer + "&me=a&data=/none&secret.file=" + secret))
                .hasMessageContaining("belong together");
        assertThatThrownBy(() -> of(network + tls + "&insecure=true")).hasMessageContaining("insecure=true");
    }

    @Test
    void what_cannot_work_is_refused_with_a_sentence() throws IOException {
        Path weak = Files.writeString(folder.resolve("weak"), "hunter2");

        assertThatThrownBy(() -> of("peers:a")).hasMessageContaining("names no members");
        assertThatThrownBy(() -> of("peers://a,b")).hasMessageContaining("'a' is not a member");
        assertThatThrownBy(() -> of("peers://a@localhost:1,b:hunter2@localhost:2"))
                .hasMessageContaining("'b:***@localhost:2' is not a member");
        assertThatThrownBy(() -> of("peers://a:hunter,2@localhost:1")).hasMessageContaining("'a:***' is not a member");
        assertThatThrownBy(() -> of("peers://a@localhost:70000")).hasMessageContaining("is not a member");
        assertThatThrownBy(() -> of("peers://a@localhost:1,a@localhost:2")).hasMessageContaining("stands twice");
        assertThatThrownBy(() -> of("peers://a@localhost:1,b@LOCALHOST:1")).hasMessageContaining("the same address");
        assertThatThrownBy(() -> of(LOCAL + "?me=d")).hasMessageContaining("none of the members");
        assertThatThrownBy(() -> of(LOCAL + "?algorithm=paxos")).hasMessageContaining("raft, quorum, bully");
        assertThatThrownBy(() -> of(LOCAL + "?profile=slow")).hasMessageContaining("default or fast");
        assertThatThrownBy(() -> of(LOCAL + "?insecure=yes")).hasMessageContaining("true or false");
        assertThatThrownBy(() -> of(LOCAL + "?tls.ca=x")).hasMessageContaining("belong together");
        assertThatThrownBy(() -> of(LOCAL + "?secret.file=" + weak)).hasMessageContaining("can be guessed");
        assertThatThrownBy(() -> of(LOCAL + "?colour=red")).hasMessageContaining("unknown option");
    }

    @Test
    void a_lease_is_shorter_than_the_time_in_which_nobody_votes() {
        for (TimingProfile profile : new TimingProfile[] {TimingProfile.DEFAULT, TimingProfile.FAST}) {
            assertThat(profile.lease().multipliedBy(10))
                    .isLessThanOrEqualTo(profile.electionMin().multipliedBy(9));
            assertThat(profile.heartbeat()).isLessThan(profile.electionMin());
        }
    }
}
