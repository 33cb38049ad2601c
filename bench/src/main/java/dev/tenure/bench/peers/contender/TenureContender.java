// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Fence;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A service that is switched on and off, with a fence where there is a ledger. */
final class TenureContender implements Contender {
    private final Tenure tenure;
    private final List<Fence> fences;

    TenureContender(String url, Duration ttl, List<Fence> fences) {
        TenureBuilder builder = Tenure.connect(url).ttl(ttl);
        this.tenure = (url.startsWith("redis:") ? builder.acknowledgeBestEffort() : builder).open();
        this.fences = List.copyOf(fences);
    }

    @Override
    public Stand stand(String election, Leading leading) {
        Service service = new Service(leading);
        return new Stood(
                service,
                tenure.elect(election).fencedBy(fences.toArray(Fence[]::new)).run(service));
    }

    @Override
    public long heartbeats() {
        return tenure.stats().renewals();
    }

    @Override
    public void close() {
        tenure.close();
    }

    private static final class Service implements ActivePassive {
        private final Leading leading;
        private final CompletableFuture<Leadership> leadership = new CompletableFuture<>();

        Service(Leading leading) {
            this.leading = leading;
        }

        @Override
        public void activate(Leadership granted) throws Exception {
            leadership.complete(granted);
            leading.begin();
        }

        @Override
        public void deactivate(Loss loss) {}
    }

    private record Stood(Service service, Candidacy candidacy) implements Stand {
        @Override
        public boolean believes() {
            return service.leadership.join().isValid();
        }

        @Override
        public long token() {
            return service.leadership.join().token().value();
        }

        @Override
        public void leave() {
            candidacy.close();
        }
    }
}
