// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Quiet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a listener hears of one election is always (elected, drain?, lost)* with growing tokens, and then retired, whatever
 * happens: two clients, a store with faults, pauses, resignations and steps of the wall clock, from a seed.
 */
class EventGrammarTest {
    static {
        Quiet.logs();
    }

    private static final Duration TTL = Duration.ofSeconds(10);
    private static final String[] CALLS = {"set s/", "set c/", "read c/", "read s/", "set ", "read ", "list "};

    private static final class Client {
        final ManualHost host;
        final Tenure tenure;
        final Candidacy candidacy;
        final List<String> heard = new ArrayList<>();
        Optional<Term> leading = Optional.empty();
        long lastToken;
        boolean retired;

        Client(String node, MemoryStore store, ManualHost host) {
            this.host = host;
            this.tenure = Tenure.using(store).host(host).node(node).ttl(TTL).open();
            tenure.onEvent(this::on);
            this.candidacy = tenure.elect("x").perform(untilLost());
        }

        private void on(TenureEvent event) {
            heard.add(event.toString());
            if (event instanceof TenureEvent.Elected elected) {
                assertThat(retired).as("elected after retired: %s", heard).isFalse();
                assertThat(leading).as("elected twice: %s", heard).isEmpty();
                assertThat(elected.term().token().value())
                        .as("tokens grow: %s", heard)
                        .isGreaterThan(lastToken);
                lastToken = elected.term().token().value();
                leading = Optional.of(elected.term());
            } else if (event instanceof TenureEvent.DrainBegan drain) {
                assertThat(leading).as("drain of another term: %s", heard).contains(drain.term());
            } else if (event instanceof TenureEvent.Lost lost) {
                assertThat(leading).as("lost what was not led: %s", heard).contains(lost.term());
                leading = Optional.empty();
            } else if (event instanceof TenureEvent.Retired) {
                assertThat(leading).as("retired while leading: %s", heard).isEmpty();
                retired = true;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void elected_and_lost_alternate_whatever_happens(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ManualHost host = new ManualHost(seed);
        MemoryStore store = new MemoryStore(host);
        List<Client> clients = List.of(new Client("a", store, host), new Client("b", store, host));

        for (int step = 0; step < 150; step++) {
            Client client = clients.get(random.nextInt(2));
            switch (random.nextInt(9)) {
                case 0 -> client.candidacy.resign("step " + step);
                case 1 -> host.pause(Duration.ofMillis(random.nextInt(25_000)));
                case 2 -> host.stepWall(Duration.ofSeconds(random.nextInt(600) - 300));
                case 3 -> store.fateOfAll(CALLS[random.nextInt(CALLS.length)], fate(random));
                case 4, 5 -> store.fate(CALLS[random.nextInt(CALLS.length)], fate(random));
                case 6 -> store.deliverDelayed();
                case 7 ->
                    store.keys("s/").stream()
                            .skip(random.nextInt(3))
                            .findFirst()
                            .ifPresent(store::remove);
                default -> store.heal();
            }
            host.advance(Duration.ofMillis(random.nextInt(5000)));
        }
        store.heal();
        store.deliverDelayed();
        host.advance(Duration.ofMinutes(2));
        long leading =
                clients.stream().filter(client -> client.candidacy.isLeading()).count();
        clients.forEach(client -> client.tenure.close());
        host.advance(Duration.ofSeconds(1));

        assertThat(host.failures()).isEmpty();
        assertThat(leading).as("one leads once all is well").isEqualTo(1);
        clients.forEach(client -> assertThat(client.retired).isTrue());
        assertThat(clients.stream().mapToLong(client -> client.lastToken).max().orElseThrow())
                .isPositive();
        assertThat(clients.get(0).heard.size() + clients.get(1).heard.size()).isGreaterThan(40);
    }

    private static Fate fate(SplittableRandom random) {
        Fate[] fates = Fate.values();
        return fates[random.nextInt(fates.length)];
    }
}
