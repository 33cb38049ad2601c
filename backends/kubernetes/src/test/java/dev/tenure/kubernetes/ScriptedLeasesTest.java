// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Leadership;
import dev.tenure.Nonce;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.kubernetes.ScriptedApi.Asked;
import dev.tenure.kubernetes.ScriptedApi.Reply;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that keeps every field, as new ones do, and fails when it is told to. */
@Execution(ExecutionMode.CONCURRENT)
class ScriptedLeasesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SWEEPER = "sweeper";
    private static final String ANOTHER = "another";

    private final KubernetesSerialization json = new KubernetesSerialization();
    private final Map<String, Lease> leases = new TreeMap<>();
    private long version = 100;
    private volatile String token = "scripted";
    /** With which updates of the sweeper's Lease are answered; 0: they are done. */
    private volatile int refusal;

    private volatile boolean failsAnotherOnce;
    /** How many reads of the sweeper's Lease are answered before all others fail. */
    private final AtomicInteger readsLeft = new AtomicInteger(Integer.MAX_VALUE);

    private volatile boolean swallowsUpdate;

    @TempDir
    private Path folder;

    private synchronized Reply answer(Asked asked) {
        if (!asked.authorization().equals("Bearer " + token)) {
            return new Reply(401, "{}", false);
        }
        String name = asked.rest().replaceFirst("^/", "");
        if (asked.rest().contains("watch=true")) {
            return new Reply(200, "", true);
        }
        if (swallowsUpdate && asked.method().equals("PUT") && name.equals(SWEEPER)) {
            swallowsUpdate = false;
            write(json.unmarshal(asked.body(), Lease.class), false);
            return new Reply(Reply.NONE, "", false);
        }
        if (failsAnotherOnce && asked.method().equals("PUT") && name.equals(ANOTHER)) {
            failsAnotherOnce = false;
            return new Reply(500, "{}", false);
        }
        return switch (asked.method()) {
            case "POST" -> write(json.unmarshal(asked.body(), Lease.class), true);
            case "PUT" ->
                refusal != 0 && name.equals(SWEEPER)
                        ? new Reply(refusal, "{}", false)
                        : write(json.unmarshal(asked.body(), Lease.class), false);
            default -> asked.rest().startsWith("/") ? read(name) : list();
        };
    }

    private Reply list() {
        return Reply.ok(
                "{\"kind\":\"LeaseList\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\""
                        + version + "\"},\"items\":["
                        + String.join(
                                ",", leases.values().stream().map(json::asJson).toList()) + "]}");
    }

    private Reply read(String name) {
        if (name.equals(SWEEPER) && readsLeft.getAndDecrement() <= 0) {
            return new Reply(500, "{}", false);
        }
        return leases.containsKey(name) ? Reply.ok(json.asJson(leases.get(name))) : new Reply(404, "{}", false);
    }

    private Reply write(Lease lease, boolean creates) {
        String name = lease.getMetadata().getName();
        Lease stands = leases.get(name);
        boolean expected = creates
                ? stands == null
                : stands != null
                        && stands.getMetadata()
                                .getResourceVersion()
                                .equals(lease.getMetadata().getResourceVersion());
        if (!expected) {
            return new Reply(409, "{}", false);
        }
        store(lease);
        return Reply.ok(json.asJson(leases.get(name)));
    }

    private synchronized void store(Lease lease) {
        leases.put(
                lease.getMetadata().getName(),
                new LeaseBuilder(lease)
                        .editMetadata()
                        .withUid("uid")
                        .withResourceVersion(Long.toString(++version))
                        .endMetadata()
                        .build());
    }

    private synchronized void change(UnaryOperator<LeaseBuilder> change) {
        store(change.apply(new LeaseBuilder(leases.get(SWEEPER))).build());
    }

    private synchronized Lease stored() {
        return leases.get(SWEEPER);
    }

    private static void stand(Tenure tenure, List<Leadership> terms) {
        stand(tenure, SWEEPER, terms);
    }

    private static void stand(Tenure tenure, String election, List<Leadership> terms) {
        tenure.elect(election).perform(leadership -> {
            terms.add(leadership);
            while (leadership.isActive()) {
                leadership.rest(Duration.ofSeconds(1));
            }
        });
    }

    @Test
    void a_leader_resigns_when_a_coordinator_prefers_another_and_claims_again_when_it_does_not() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=2s")).open()) {
            stand(tenure, terms);
            await().atMost(PATIENCE).until(() -> terms.size() == 1);

            change(lease -> lease.editSpec()
                    .withStrategy("OldestEmulationVersion")
                    .withPreferredHolder("candidate-2")
                    .endSpec());

            await().atMost(PATIENCE).until(() -> !terms.get(0).isValid());
            await().atMost(PATIENCE).until(() -> stored().getSpec().getHolderIdentity() == null);
            await().during(Duration.ofSeconds(2)).atMost(PATIENCE).until(() -> terms.size() == 1);
            assertThat(stored().getSpec().getStrategy()).isEqualTo("OldestEmulationVersion");
            assertThat(stored().getSpec().getPreferredHolder()).isEqualTo("candidate-2");
            change(lease -> lease.editSpec().withPreferredHolder(null).endSpec());
            await().atMost(PATIENCE).until(() -> terms.size() == 2);
            assertThat(stored().getSpec().getStrategy()).isEqualTo("OldestEmulationVersion");
        }
    }

    @Test
    void a_lease_that_is_kept_for_a_dead_candidate_is_read_now_and_then() throws IOException {
        store(new LeaseBuilder()
                .withNewMetadata()
                .withName(SWEEPER)
                .endMetadata()
                .withNewSpec()
                .withStrategy("OldestEmulationVersion")
                .withPreferredHolder("candidate-2")
                .endSpec()
                .build());

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=1s")).open()) {
            stand(tenure, new CopyOnWriteArrayList<>());
            await().atMost(PATIENCE).until(() -> reads(api) > 3);
            long before = reads(api);

            await().pollDelay(Duration.ofSeconds(3)).until(() -> true);

            assertThat(reads(api) - before).isBetween(3L, 40L);
        }
    }

    private static long reads(ScriptedApi api) {
        return api.asked().stream()
                .filter(asked -> asked.method().equals("GET") && asked.rest().equals("/" + SWEEPER))
                .count();
    }

    @Test
    void a_renewal_of_unknown_outcome_does_not_move_the_deadline() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=2s")).open()) {
            stand(tenure, terms);
            tenure.elect(ANOTHER).perform(leadership -> leadership.rest(Duration.ofMinutes(1)));
            await().atMost(PATIENCE)
                    .until(() -> terms.size() == 1 && tenure.stats().leading() == 2);

            refusal = 500;

            await("one of two Leases is not renewed")
                    .atMost(PATIENCE)
                    .until(() -> !terms.get(0).isValid());
            refusal = 0;
            await().atMost(PATIENCE).until(() -> terms.size() == 2);
            assertThat(terms.get(1).token()).isGreaterThan(terms.get(0).token());
        }
    }

    @Test
    void a_claim_that_a_failing_renewal_finds_lost_ends() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        List<Leadership> others = new CopyOnWriteArrayList<>();

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=20s")).open()) {
            stand(tenure, terms);
            stand(tenure, ANOTHER, others);
            await().atMost(PATIENCE).until(() -> terms.size() == 1 && others.size() == 1);

            synchronized (this) {
                failsAnotherOnce = true;
                readsLeft.set(1); // that of the renewal: nothing but a renewal can tell it then
                change(lease -> lease.editSpec().withHolderIdentity("pod-7").endSpec());
            }

            await("before the Leases are listed again")
                    .atMost(Duration.ofSeconds(12))
                    .until(() -> !terms.get(0).isValid());
            assertThat(failsAnotherOnce).isFalse();
            assertThat(others.get(0).isValid()).isTrue();
            readsLeft.set(Integer.MAX_VALUE);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 422})
    void a_lease_that_cannot_be_written_ends_its_own_term_only(int status) throws IOException {
        assertEndsAlone(() -> refusal = status);
    }

    @Test
    void a_lease_that_is_another_elections_ends_its_own_term_only() throws IOException {
        assertEndsAlone(() -> change(lease -> lease.editMetadata()
                .addToAnnotations("tenure.dev/election", "mopper")
                .endMetadata()));
    }

    private void assertEndsAlone(Runnable trouble) throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        List<Leadership> others = new CopyOnWriteArrayList<>();

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=10s")).open()) {
            stand(tenure, terms);
            stand(tenure, ANOTHER, others);
            await().atMost(PATIENCE).until(() -> terms.size() == 1 && others.size() == 1);

            trouble.run();

            await().atMost(PATIENCE).until(() -> !terms.get(0).isValid());
            long renewals = tenure.stats().renewals();
            await().atMost(PATIENCE).until(() -> tenure.stats().renewals() >= renewals + 4);
            assertThat(others).hasSize(1);
            assertThat(others.get(0).isValid()).isTrue();
            refusal = 0;
        }
    }

    @Test
    void a_client_that_is_not_let_in_any_more_loses_all_terms() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        List<Leadership> others = new CopyOnWriteArrayList<>();

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=2s")).open()) {
            stand(tenure, terms);
            stand(tenure, ANOTHER, others);
            await().atMost(PATIENCE).until(() -> terms.size() == 1 && others.size() == 1);

            refusal = 401;

            await().atMost(PATIENCE)
                    .until(() -> !terms.get(0).isValid() && !others.get(0).isValid());
            refusal = 0;
        }
    }

    @Test
    void a_token_that_rotates_costs_nothing() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=5s")).open()) {
            stand(tenure, terms);
            await().atMost(PATIENCE).until(() -> terms.size() == 1);

            api.kubeconfig(folder, "rotated");
            token = "rotated";
            long renewals = tenure.stats().renewals();

            await().atMost(PATIENCE).until(() -> tenure.stats().renewals() >= renewals + 8);
            assertThat(terms).hasSize(1);
            assertThat(terms.get(0).isValid()).isTrue();
        }
    }

    @Test
    void an_exec_plugin_is_asked_again_when_its_token_is_not_accepted_any_more() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        Path credential = folder.resolve("credential");
        Path plugin = Files.writeString(folder.resolve("plugin"), "#!/bin/sh\ncat '" + credential + "'\n");
        Files.setPosixFilePermissions(plugin, PosixFilePermissions.fromString("rwx------"));
        String printed =
                "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"%s\"}}";
        Files.writeString(credential, printed.formatted("scripted"));

        try (ScriptedApi api = new ScriptedApi(this::answer)) {
            Path kubeconfig = api.kubeconfigOf(
                    folder,
                    "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: " + plugin
                            + "}");
            try (Tenure tenure = Tenure.connect("kubernetes://billing?ttl=10s&kubeconfig=" + kubeconfig)
                    .open()) {
                stand(tenure, terms);
                await().atMost(PATIENCE).until(() -> terms.size() == 1);

                Files.writeString(credential, printed.formatted("rotated"));
                token = "rotated";
                long renewals = tenure.stats().renewals();

                await().atMost(PATIENCE).until(() -> tenure.stats().renewals() >= renewals + 2);
                assertThat(terms).hasSize(1);
                assertThat(terms.get(0).isValid()).isTrue();
            }
        }
    }

    @Test
    void a_renewal_that_is_applied_and_not_answered_costs_no_term() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=10s")).open()) {
            stand(tenure, terms);
            await().atMost(PATIENCE)
                    .until(() -> terms.size() == 1 && tenure.stats().renewals() > 1);

            swallowsUpdate = true;
            await().atMost(PATIENCE).until(() -> tenure.stats().renewalsFailed() == 1);
            long renewals = tenure.stats().renewals();

            await().atMost(PATIENCE).until(() -> tenure.stats().renewals() >= renewals + 3);
            assertThat(terms).hasSize(1);
            assertThat(terms.get(0).isValid()).isTrue();
        }
    }

    @Test
    void an_answer_that_stops_half_way_is_given_up() throws IOException {
        try (ScriptedApi api = new ScriptedApi(asked -> new Reply(200, "{", true));
                Tenure tenure =
                        Tenure.connect(api.url(folder, "&timeout=500ms")).open()) {
            assertThat(tenure.era().toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withMessageContaining("no whole answer from http://127.0.0.1");
        }
    }

    @Test
    void a_token_that_cannot_be_sent_is_refused_without_showing_it() throws IOException {
        try (ScriptedApi api = new ScriptedApi(this::answer)) {
            Path kubeconfig = api.kubeconfigOf(folder, "token: \"secret-of-mine\\n\"");
            try (Tenure tenure = Tenure.connect("kubernetes://billing?kubeconfig=" + kubeconfig)
                    .open()) {
                assertThat(tenure.era().toCompletableFuture())
                        .failsWithin(PATIENCE)
                        .withThrowableThat()
                        .withMessageContaining("must be one line")
                        .satisfies(failure ->
                                assertThat(Throwables.getStackTrace(failure)).doesNotContain("secret-of-mine"));
            }
        }
    }

    @Test
    void a_standoff_is_kept_over_a_claim_whose_answer_was_lost() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        TermNote.Shown shown = new TermNote.Shown("pod-7", Instant.EPOCH, LeaderMetadata.EMPTY);
        TermNote note = new TermNote(0, 7, 0, new Nonce(1, 2), "pod-7_abc", shown);
        store(new ElectionLease(ElectionName.of(SWEEPER), Optional.empty())
                .taken(note, Duration.ofSeconds(2), ElectionLease.time(0, 0)));
        change(blanked -> blanked.editSpec().withHolderIdentity("").endSpec());
        swallowsUpdate = true;

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure =
                        Tenure.connect(api.url(folder, "&ttl=2s&standoff=on")).open()) {
            stand(tenure, terms);
            await().atMost(PATIENCE).until(() -> !swallowsUpdate);
            long claimedNanos = System.nanoTime();

            await().atMost(PATIENCE).until(() -> terms.size() == 1);
            assertThat(Duration.ofNanos(System.nanoTime() - claimedNanos)).isGreaterThan(Duration.ofSeconds(2));
        }
    }

    @Test
    void after_a_restore_of_etcd_a_holder_that_is_silent_is_still_judged() throws IOException {
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        Lease foreign = new LeaseBuilder()
                .withNewMetadata()
                .withName(SWEEPER)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("client-go_1")
                .withLeaseDurationSeconds(2)
                .endSpec()
                .build();
        store(foreign);

        try (ScriptedApi api = new ScriptedApi(this::answer);
                Tenure tenure = Tenure.connect(api.url(folder, "&ttl=2s")).open()) {
            AtomicBoolean hasSeenTheHolder = new AtomicBoolean();
            tenure.onEveryEvent(event -> {
                boolean claimed = event instanceof TenureEvent.StoreCalled call
                        && call.operation().equals("claim")
                        && call.outcome() == TenureEvent.StoreCalled.Outcome.ACKNOWLEDGED;
                hasSeenTheHolder.compareAndSet(false, claimed);
            });
            stand(tenure, terms);
            await().atMost(PATIENCE).untilTrue(hasSeenTheHolder);

            synchronized (this) {
                version = 5;
                store(foreign);
            }

            await().atMost(PATIENCE).until(() -> !terms.isEmpty());
            assertThat(terms.get(0).token()).isGreaterThan(FencingToken.of(0, 101));
        }
    }
}
