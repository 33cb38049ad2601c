// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ActivePassive;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import java.time.Duration;
import java.util.Optional;

/** A process that stands in elections and tells of each: {@code leads <token>}, {@code lost <valid>}. Ends with its input. */
final class LeaderMain {
    private LeaderMain() {}

    /** @param arguments URL, TTL in ms, how many elections */
    public static void main(String[] arguments) throws Exception {
        Tenure tenure = Tenure.connect(arguments[0])
                .ttl(Duration.ofMillis(Long.parseLong(arguments[1])))
                .open();
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            tenure.elect("shard/" + i).run(new Telling());
        }
        System.in.readAllBytes();
        tenure.close();
    }

    private static final class Telling implements ActivePassive {
        private volatile Optional<Leadership> last = Optional.empty();

        @Override
        public void activate(Leadership granted) {
            last = Optional.of(granted);
            System.out.println("leads " + granted.token());
        }

        @Override
        public void deactivate(Loss loss) {
            System.out.println("lost " + last.filter(Leadership::isValid).isPresent());
        }
    }
}
