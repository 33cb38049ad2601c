package dev.tenure.etcd;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.etcd.cluster.EtcdServers;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Prints what etcd costs on this machine: {@code Figures ELECTIONS HANDOVERS}. Not a test: nothing here can fail. */
final class Figures {
    private static final java.util.logging.Logger LOG = java.util.logging.Logger.getLogger("dev.tenure");

    private Figures() {}

    public static void main(String[] arguments) throws Exception {
        LOG.setLevel(java.util.logging.Level.WARNING);
        int elections = Integer.parseInt(arguments[0]);
        int handovers = Integer.parseInt(arguments[1]);
        try (EtcdCluster cluster = EtcdCluster.start(EtcdServers.NEWEST, 3)) {
            many(cluster, elections);
            handover(cluster, handovers);
        }
        System.exit(0);
    }

    private static final class Count implements ActivePassive {
        private final CountDownLatch latch;
        private final AtomicLong at = new AtomicLong();

        Count(int count) {
            latch = new CountDownLatch(count);
        }

        @Override
        public void activate(Leadership leadership) {
            at.set(System.nanoTime());
            latch.countDown();
        }

        @Override
        public void deactivate(Loss loss) {}
    }

    private static void many(EtcdCluster cluster, int elections) throws Exception {
        Tenure first = Tenure.connect(cluster.url("many")).open();
        try (Tenure second = Tenure.connect(cluster.url("many")).open()) {
            Count one = new Count(1);
            first.elect("warm").run(one);
            one.latch.await();
            long heapBefore = heap();
            Count won = new Count(elections);
            long beganNanos = System.nanoTime();
            for (int i = 0; i < elections; i++) {
                first.elect("many/" + i).run(won);
            }
            won.latch.await();
            print("%d elections won after %.2f s", elections, (System.nanoTime() - beganNanos) / 1e9);
            print("heap more: %.1f MB", (heap() - heapBefore) / 1e6);
            print("threads: %d", ManagementFactory.getThreadMXBean().getThreadCount());
            Count taken = new Count(elections);
            for (int i = 0; i < elections; i++) {
                second.elect("many/" + i).run(taken);
            }
            long queuedNanos = System.nanoTime();
            while (count(cluster, "many/many%2f") < 2 * elections) {
                Thread.sleep(20);
            }
            print("standby queued after %.2f s", (System.nanoTime() - queuedNanos) / 1e9);
            beganNanos = System.nanoTime();
            first.close();
            print("closed after %.2f s", (System.nanoTime() - beganNanos) / 1e9);
            taken.latch.await();
            print("all handed over after %.2f s", (System.nanoTime() - beganNanos) / 1e9);
        }
    }

    private static void handover(EtcdCluster cluster, int handovers) throws Exception {
        List<Tenure> tenures = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            tenures.add(Tenure.connect(cluster.url("handover"))
                    .node("n" + i)
                    .ttl(Duration.ofSeconds(10))
                    .open());
        }
        long[] nanos = new long[handovers];
        Count leading = new Count(1);
        Candidacy leader = tenures.get(0).elect("x").run(leading);
        leading.latch.await();
        for (int i = 0; i < handovers; i++) {
            Count next = new Count(1);
            Candidacy successor = tenures.get((i + 1) % 2).elect("x").run(next);
            while (count(cluster, "handover/x/") < 2) {
                Thread.sleep(2);
            }
            long beganNanos = System.nanoTime();
            leader.close();
            next.latch.await();
            nanos[i] = next.at.get() - beganNanos;
            leader = successor;
        }
        Arrays.sort(nanos);
        print("handover p50 %.2f ms, p90 %.2f ms", nanos[handovers / 2] / 1e6, nanos[handovers * 9 / 10] / 1e6);
        tenures.forEach(Tenure::close);
    }

    private static long count(EtcdCluster cluster, String prefix) {
        KeyRange range = KeyRange.under(prefix);
        return cluster.post("/v3/kv/range", "{" + range.json() + ",\"count_only\":true}")
                .number("count");
    }

    private static long heap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static void print(String form, Object... values) {
        System.out.println(String.format(Locale.ROOT, form, values));
    }
}
