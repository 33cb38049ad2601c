// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Columns that line up, of values that may have come from outside. A value that is missing is a dash. */
public final class Table {
    private static final String GAP = "  ";
    private static final String NONE = "—";

    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... header) {
        rows.add(List.of(header));
    }

    /** The fields of objects with these names, which are the headings as well. */
    public static Table of(List<Map<String, Object>> objects, String... fields) {
        Table table = new Table(
                Stream.of(fields).map(name -> name.toUpperCase(Locale.ROOT)).toArray(String[]::new));
        objects.forEach(object -> table.row(Stream.of(fields).map(object::get).toArray()));
        return table;
    }

    /** A cell for each column; an empty optional is a missing value. */
    public void row(Object... cells) {
        rows.add(Stream.of(cells).map(Table::text).toList());
    }

    private static String text(Object cell) {
        Object value = cell instanceof Optional<?> optional
                ? optional.map(Object.class::cast).orElse(NONE)
                : cell;
        return TerminalText.line(value.toString());
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
