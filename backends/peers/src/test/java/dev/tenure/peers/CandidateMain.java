// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import java.time.Duration;

/** A process that stands until it is killed, and tells when it leads, on the clock that all processes of a machine share. */
final class CandidateMain {
    private CandidateMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        try (Tenure tenure = Tenure.connect(arguments[0]).node(arguments[1]).open()) {
            var unused = tenure.elect("sweeper").perform(CandidateMain::lead);
            tell("STANDS", 0, System.nanoTime());
            while (true) {
                Thread.sleep(Duration.ofHours(1).toMillis());
            }
        }
    }

    private static void lead(Leadership leadership) {
        tell("BEGIN", leadership.token().value(), System.nanoTime());
        long lastNanos = System.nanoTime();
        while (leadership.isActive()) {
            long nowNanos = System.nanoTime();
            if (leadership.isValid()) {
                lastNanos = nowNanos;
            }
            java.util.concurrent.locks.LockSupport.parkNanos(500_000);
        }
        tell("END", leadership.token().value(), lastNanos);
    }

    private static synchronized void tell(String what, long token, long nanos) {
        System.out.println(what + " " + token + " " + nanos);
        System.out.flush();
    }
}
