// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.Tenure;
import java.util.concurrent.CompletableFuture;

/** Stands as a program in a pod does: its URL names nothing. */
final class PodCandidate {
    private PodCandidate() {}

    public static void main(String[] none) {
        try (Tenure tenure = Tenure.connect("kubernetes:?ttl=5s&node=pod-7").open()) {
            tenure.onEvent(event -> System.out.println(event));
            tenure.elect("sweeper").perform(leadership -> {
                System.out.println("leads");
                new CompletableFuture<>().join();
            });
            new CompletableFuture<>().join(); // until it is killed
        }
    }
}
