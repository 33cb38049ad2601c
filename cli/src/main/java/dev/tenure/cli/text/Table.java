package dev.tenure.cli.text;

import java.util.ArrayList;
import java.util.List;

/** Columns that line up. */
public final class Table {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... header) {
        rows.add(List.of(header));
    }

    public void row(String... cells) {
        rows.add(List.of(cells));
    }

    /** One line per row, without blanks at the end. */
    public List<String> lines() {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row.get(i))
                    .append(" ".repeat(widths[i] - width(row.get(i))))
                    .append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
