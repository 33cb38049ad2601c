package dev.tenure.cli.command;

import java.util.Collection;
import java.util.Comparator;

/** Finds what was probably meant. */
public final class Spelling {
    private Spelling() {}

    /** A question to add to a sentence: the candidate with the fewest letters to change, if it may be a typing error. */
    public static String suggestion(String typed, Collection<String> candidates) {
        int changesMax = Math.max(1, typed.replace("-", "").length() / 2);
        return candidates.stream()
                .min(Comparator.comparingInt(candidate -> distance(typed, candidate)))
                .filter(nearest -> distance(typed, nearest) <= changesMax)
                .map(nearest -> "; did you mean " + nearest + "?")
                .orElse("");
    }

    // Letters to insert, remove, replace, or swap with their neighbour.
    private static int distance(String from, String to) {
        int[][] changes = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                changes[i][j] = i == 0 || j == 0 ? i + j : fewest(changes, from, to, i, j);
            }
        }
        return changes[from.length()][to.length()];
    }

    private static int fewest(int[][] changes, String from, String to, int i, int j) {
        int replaced = changes[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        int fewest = Math.min(replaced, Math.min(changes[i - 1][j], changes[i][j - 1]) + 1);
        boolean swapped =
                i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
        return swapped ? Math.min(fewest, changes[i - 2][j - 2] + 1) : fewest;
    }
}
