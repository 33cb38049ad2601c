package dev.tenure.bench.peers.seat;

import dev.tenure.bench.peers.contender.Kind;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** {@code SeatMain KIND ADDRESS TTL_MILLIS LEDGER_PORT}: takes orders on its input, and ends with it. */
final class SeatMain {
    private SeatMain() {}

    public static void main(String[] arguments) throws Exception {
        Seat seat = new Seat(
                Kind.valueOf(arguments[0]),
                arguments[1],
                Duration.ofMillis(Long.parseLong(arguments[2])),
                Integer.parseInt(arguments[3]),
                new Voice(System.out));
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                obey(seat, order.split(" "));
            }
        } finally {
            Runtime.getRuntime().halt(0); // whoever gave the orders is gone, or wants us gone
        }
    }

    private static void obey(Seat seat, String[] order) throws Exception {
        int client = Integer.parseInt(order[1]);
        switch (order[0]) {
            case "open" -> seat.open(client);
            case "stand" -> seat.stand(client, order[2]);
            case "leave" -> seat.leave(client, order[2]);
            case "many" -> seat.standInMany(client, order[2], Integer.parseInt(order[3]));
            case "write" -> seat.write(client, order[2]);
            case "close" -> seat.close(client);
            case "cost" -> seat.cost(client);
            default -> throw new IllegalArgumentException(order[0]);
        }
    }
}
