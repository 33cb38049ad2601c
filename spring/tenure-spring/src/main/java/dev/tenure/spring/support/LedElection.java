package dev.tenure.spring.support;

import dev.tenure.ActivePassive;
import dev.tenure.Campaign;
import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.NotLeadingException;
import dev.tenure.spring.Leaderships;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.context.Lifecycle;

/**
 * One election of the application: one candidacy, which its duty, its services and the calls that it gates share.
 *
 * <p>A term begins by starting the services and opening the gate, and then runs the duty if there is one. It ends in reverse: the gate admits
 * nobody from the moment the term begins to end ({@link Leadership#isActive()}), the duty returns, the calls inside return, the services
 * stop. Only then does the engine release the claim. A call that does not return is an overdue drain, like a duty that does not.
 */
public final class LedElection implements ActivePassive {
    private final ElectionName name;
    private final List<Lifecycle> services = new ArrayList<>();
    private final Set<Fence> fences = new LinkedHashSet<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition empty = lock.newCondition();
    private @Nullable BeanMethod duty;
    private @Nullable Leadership leadership;
    private int inside;

    LedElection(ElectionName name) {
        this.name = name;
    }

    ElectionName name() {
        return name;
    }

    @Nullable
    BeanMethod duty() {
        return duty;
    }

    void perform(BeanMethod method) {
        duty = method;
    }

    void start(Lifecycle service) {
        services.add(service);
    }

    void fencedBy(Collection<Fence> more) {
        fences.addAll(more);
    }

    Candidacy stand(Campaign campaign) {
        BeanMethod method = duty;
        Campaign fenced = campaign.fencedBy(fences.toArray(Fence[]::new));
        return method == null
                ? fenced.run(this)
                : fenced.perform(led -> {
                    activate(led);
                    try (Leaderships.Scope scope = Leaderships.open(led)) {
                        method.invoke(led);
                    } finally {
                        deactivate(new Loss.Completed());
                    }
                });
    }

    @Override
    public void activate(Leadership led) {
        int started = 0;
        try {
            for (Lifecycle service : services) {
                started++;
                service.start();
            }
        } catch (RuntimeException | Error failure) {
            stop(started, failure);
            throw failure;
        }
        admit(led);
    }

    @Override
    public void deactivate(Loss loss) {
        admit(null);
        awaitEmpty();
        stop(services.size(), null);
    }

    private void admit(@Nullable Leadership led) {
        lock.lock();
        try {
            leadership = led;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Not cut short by the interrupt with which a duty is asked to stop. A thread that is inside itself does not wait for itself: that is a test
     * which drives virtual time from a gated method.
     */
    private void awaitEmpty() {
        if (Leaderships.find(name).isPresent()) {
            return;
        }
        lock.lock();
        try {
            while (inside > 0) {
                empty.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Every one of them is asked to stop, in reverse order; the first failure is thrown, or added to the one that led here. */
    private void stop(int started, @Nullable Throwable before) {
        RuntimeException first = null;
        for (int i = started - 1; i >= 0; i--) {
            try {
                services.get(i).stop();
            } catch (RuntimeException failure) {
                if (before != null) {
                    before.addSuppressed(failure);
                } else if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Whether a call would be admitted now. */
    public boolean isLeading() {
        lock.lock();
        try {
            return leadership != null && leadership.isActive() && leadership.isValid();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Admits a call, if this process leads. A call from inside another one of the same term, or from the duty, is admitted while there is
     * authority, also when the term has begun to end: the outer one is being waited for.
     */
    public Optional<Entry> enter() {
        Optional<Leadership> outer = Leaderships.find(name).filter(Leadership::isValid);
        if (outer.isPresent()) {
            return Optional.of(new Entry(outer.get(), false));
        }
        lock.lock();
        try {
            Leadership led = leadership;
            if (led == null || !led.isActive() || !led.isValid()) {
                return Optional.empty();
            }
            inside++;
            return Optional.of(new Entry(led, true));
        } finally {
            lock.unlock();
        }
    }

    public NotLeadingException notLeading() {
        return new NotLeadingException("this process does not lead election " + name);
    }

    /** A call that was admitted. */
    public final class Entry implements AutoCloseable {
        private final Leadership led;
        private final boolean counted;
        private final Leaderships.Scope scope;

        Entry(Leadership led, boolean counted) {
            this.led = led;
            this.counted = counted;
            this.scope = Leaderships.open(led);
        }

        public Leadership leadership() {
            return led;
        }

        @Override
        public void close() {
            scope.close();
            if (counted) {
                lock.lock();
                try {
                    inside--;
                    empty.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        }
    }
}
