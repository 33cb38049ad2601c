// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

import java.util.List;

/** One line of a seat: what happened, to which of its clients, and numbers. */
public record BenchProcessLine(String event, int client, List<Long> numbers) {
    static BenchProcessLine parse(String line) {
        String[] words = line.split(" ");
        return new BenchProcessLine(
                words[0],
                Integer.parseInt(words[1]),
                List.of(words).subList(2, words.length).stream()
                        .map(Long::parseLong)
                        .toList());
    }

    public long number(int index) {
        return numbers.get(index);
    }
}
