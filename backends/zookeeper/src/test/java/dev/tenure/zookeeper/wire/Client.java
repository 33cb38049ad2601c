package dev.tenure.zookeeper.wire;

import dev.tenure.wire.Reactor;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A client under test, with threads of its own; notes what it was told. */
final class Client implements AutoCloseable, WireListener {
    final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    final Wire wire;
    private final Reactor reactor = Reactor.open();
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    Client(Credentials credentials, int timeoutMillis, Server... servers) {
        threads.execute(reactor);
        AtomicLong chance = new AtomicLong(1);
        wire = Wire.begin(
                new Setup(
                        List.of(servers),
                        Optional.empty(),
                        credentials,
                        timeoutMillis,
                        reactor,
                        threads,
                        (delay, event) -> timers.schedule(event, delay.toNanos(), TimeUnit.NANOSECONDS),
                        System::nanoTime,
                        chance::getAndIncrement),
                this);
    }

    String nextTold() throws InterruptedException {
        String next = told.poll(60, TimeUnit.SECONDS);
        return next == null ? "nothing" : next;
    }

    /** An answer, or the code instead of it. */
    static final class Answer<T> implements Reply<T> {
        private final CompletableFuture<Object> came = new CompletableFuture<>();

        @Override
        public void answered(T value) {
            came.complete(value);
        }

        @Override
        public void refused(Code code) {
            came.complete(code);
        }

        Object get() throws Exception {
            return came.get(60, TimeUnit.SECONDS);
        }
    }

    Answer<OpResult.Data> read(String path) {
        Answer<OpResult.Data> answer = new Answer<>();
        wire.send(List.of(Ask.getData(path, answer)));
        return answer;
    }

    @Override
    public void connected() {
        told.add("connected");
    }

    @Override
    public void expired() {
        told.add("expired");
    }

    @Override
    public void notBelieved() {
        told.add("not believed");
    }

    @Override
    public void happened(Event event) {
        told.add(event.type() + " " + event.path());
    }

    @Override
    public void close() {
        wire.vanish();
        reactor.close();
        timers.shutdownNow();
        threads.shutdownNow();
    }
}
