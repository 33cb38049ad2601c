// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.crash;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import java.io.OutputStream;

/** One member in a process of its own: stands until it is killed, and tells when it begins to lead. */
public final class CrashCandidate {
    private CrashCandidate() {}

    public static void main(String[] arguments) throws Exception {
        Tenure tenure = Tenure.connect(arguments[0]).node(arguments[1]).open();
        var unused = tenure.elect("crash").fencedBy(term -> {}).perform(CrashCandidate::lead);
        System.out.println("STANDS 0");
        // Ends with the one that started it.
        System.in.transferTo(OutputStream.nullOutputStream());
        tenure.close();
    }

    private static void lead(Leadership leadership) throws InterruptedException {
        System.out.println("LEADS " + System.nanoTime());
        while (leadership.isActive()) {
            leadership.rest(java.time.Duration.ofSeconds(1));
        }
    }
}
