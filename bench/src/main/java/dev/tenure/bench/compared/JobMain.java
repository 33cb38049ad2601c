// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.bench.compared.Effects.Strike;
import dev.tenure.bench.compared.JobRunner.Job;
import dev.tenure.bench.peers.contender.Pool;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.function.LongSupplier;

/** {@code JobMain KIND URL NODE IDLE}: takes orders on its input, and ends with it. */
final class JobMain {
    private JobMain() {}

    public static void main(String[] arguments) throws Exception {
        try {
            HikariDataSource pool = Pool.open(arguments[1]);
            Effects effects = new Effects(pool, arguments[2]);
            try (Connection connection = pool.getConnection()) {
                connection.isValid(0);
            }
            int before = threads();
            Job job = new Job(pool, arguments[1], arguments[2], Boolean.parseBoolean(arguments[3]), effects);
            LongSupplier heartbeats = JobKind.valueOf(arguments[0]).runner().start(job);
            System.out.println("ready");
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                String[] words = order.split(" ");
                if (words[0].equals("strike")) {
                    effects.arm(new Strike(words[1], words[2].equals("before")));
                    System.out.println("armed");
                } else {
                    System.out.println("cost " + (threads() - before) + " " + heartbeats.getAsLong());
                }
            }
        } catch (Throwable failure) {
            System.getLogger("dev.tenure.bench").log(Level.ERROR, "the process of a contender has failed", failure);
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }
}
