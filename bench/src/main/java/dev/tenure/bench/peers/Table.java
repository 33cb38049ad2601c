package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** All figures of a run, one row each. */
final class Table {
    private final List<Kind> kinds;
    private final List<List<String>> rows = new ArrayList<>();

    Table(List<Kind> kinds) {
        this.kinds = kinds;
        List<String> head = new ArrayList<>();
        head.add("median (p10..p90, n)");
        kinds.forEach(kind -> head.add(kind.title()));
        head.add("target");
        rows.add(head);
    }

    void add(Figure figure) {
        List<String> row = new ArrayList<>();
        row.add(figure.what());
        kinds.forEach(kind -> row.add(figure.cell(kind)));
        row.add(String.join("; ", figure.verdicts()));
        rows.add(row);
    }

    void print(PrintStream out) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder("|");
            for (int i = 0; i < columns; i++) {
                String cell = row.get(i);
                line.append(' ')
                        .append(cell)
                        .append(" ".repeat(widths[i] - cell.length()))
                        .append(" |");
            }
            out.println(line);
            if (row.equals(rows.get(0))) {
                out.println("|" + "---|".repeat(columns));
            }
        }
    }
}
