// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import java.util.List;

/**
 * What an algorithm is, for people.
 *
 * @param idea how it works, in a few sentences
 * @param assumes without which nothing is promised
 * @param promises what holds then
 * @param cannotPromise what does not hold, even then
 * @param cost messages of one election among n nodes
 */
public record Description(
        String title,
        String origin,
        String idea,
        List<String> assumes,
        List<String> promises,
        List<String> cannotPromise,
        String cost) {}
