// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.encoding;

import dev.tenure.explorer.model.Machines;
import java.util.Arrays;

/** The numbers that are still named. Which is the smaller one is all that is left of them. */
final class NumberNormalizer {
    private static final int RANKS_MAX = 32;

    private long[] numbers = new long[RANKS_MAX];
    private int count;

    void clear() {
        count = 0;
    }

    void add(long number) {
        if (number == 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            if (numbers[i] == number) {
                return;
            }
        }
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
        numbers[count++] = number;
    }

    /** From 1, among those of all; 0 stays 0. */
    int ofAll(long number) {
        int rank = number == 0 ? 0 : 1;
        for (int i = 0; i < count; i++) {
            rank += numbers[i] < number ? 1 : 0;
        }
        return rank;
    }

    /** From 1, among those of the same owner; 0 stays 0. */
    int ofOwner(long number) {
        int rank = number == 0 ? 0 : 1;
        boolean named = number == 0;
        for (int i = 0; i < count; i++) {
            named |= numbers[i] == number;
            boolean same = Machines.owner(numbers[i]) == Machines.owner(number);
            rank += same && numbers[i] < number ? 1 : 0;
        }
        if (!named || rank >= RANKS_MAX) {
            throw new IllegalStateException("number " + number + " is not among the " + count + " that are named");
        }
        return rank;
    }

    /** The same from the side of another node: whose it is, and its rank. */
    int ofOwner(long number, int[] places) {
        return number == 0 ? 0 : places[Machines.owner(number)] * RANKS_MAX + ofOwner(number);
    }
}
