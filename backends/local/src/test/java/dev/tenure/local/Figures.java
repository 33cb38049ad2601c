// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.local.LocalStore.MachineEnvironment;
import dev.tenure.local.MachineClock.LinuxClock;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;

/** Prints what the store costs on this machine: {@code Figures DIRECTORY RECORDS}. Not a test: nothing here can fail. */
final class Figures {
    private static final int SAMPLES = 2000;

    private Figures() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        int records = Integer.parseInt(arguments[1]);
        SystemHost host = SystemHost.start("figures");
        long startNanos = host.nanos();
        CountingFileOps disk = new CountingFileOps();
        MachineEnvironment machine = new MachineEnvironment(LinuxClock.ofThisMachine(), disk);
        LocalStore store = LocalStore.open(directory, false, host, machine);
        print("open", 1, host.nanos() - startNanos);

        for (String what : List.of("created", "changed", "changed")) {
            startNanos = host.nanos();
            List<Versioned> found = all(records, i -> store.read("c/" + i));
            print("read", records, host.nanos() - startNanos);
            disk.forced.clear();
            startNanos = host.nanos();
            long token = found.get(0).clockMillis();
            List<WriteReply> replies = all(
                    records,
                    i -> store.compareAndSet(new Write(found.get(i), "token " + token, Optional.empty(), token + i)));
            print(what, records, host.nanos() - startNanos);
            System.out.println("  applied "
                    + replies.stream()
                            .filter(WriteReply.Applied.class::isInstance)
                            .count() + ", fsyncs " + disk.forced.size());
        }
        startNanos = host.nanos();
        int listed = store.list("c/").toCompletableFuture().get().size();
        print("listed", listed, host.nanos() - startNanos);
        renew(host, store);
        hint(host, store, LocalStore.open(directory, host));
        System.exit(0);
    }

    private static void renew(SystemHost host, LeaseStore store) throws Exception {
        Versioned session = store.read("s/me").toCompletableFuture().get();
        long[] nanos = new long[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            long startNanos = host.nanos();
            Write beat = new Write(session, "beat " + i, Optional.of(Duration.ofSeconds(10)), 0);
            session = ((WriteReply.Applied)
                            store.compareAndSet(beat).toCompletableFuture().get())
                    .now();
            nanos[i] = host.nanos() - startNanos;
        }
        percentiles("renewal", nanos);
    }

    private static void hint(SystemHost host, LeaseStore writer, LeaseStore watcher) throws Exception {
        LinkedBlockingQueue<Long> hints = new LinkedBlockingQueue<>();
        watcher.watch("o/", key -> hints.offer(host.nanos()));
        Versioned record = writer.read("o/x").toCompletableFuture().get();
        long[] nanos = new long[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            hints.clear();
            long startNanos = host.nanos();
            CompletableFuture<WriteReply> reply = writer.compareAndSet(new Write(record, "" + i, Optional.empty(), 0))
                    .toCompletableFuture();
            nanos[i] = hints.take() - startNanos;
            record = ((WriteReply.Applied) reply.get()).now();
        }
        percentiles("write to hint", nanos);
    }

    private interface Call<T> {
        CompletionStage<T> start(int number);
    }

    private static <T> List<T> all(int count, Call<T> call) throws Exception {
        List<CompletableFuture<T>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            running.add(call.start(i).toCompletableFuture());
        }
        List<T> replies = new ArrayList<>();
        for (CompletableFuture<T> each : running) {
            replies.add(each.get());
        }
        return replies;
    }

    private static void print(String what, int count, long nanos) {
        System.out.printf("%-8s %6d in %7.1f ms, %6.1f us each%n", what, count, nanos / 1e6, nanos / 1e3 / count);
    }

    private static void percentiles(String what, long[] nanos) {
        Arrays.sort(nanos);
        System.out.printf(
                "%s: p50 %.0f us, p99 %.0f us, max %.0f us%n",
                what,
                nanos[nanos.length / 2] / 1e3,
                nanos[nanos.length * 99 / 100] / 1e3,
                nanos[nanos.length - 1] / 1e3);
    }
}
