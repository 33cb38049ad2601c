// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.ActivePassive;
import dev.tenure.Campaign;
import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.context.Lifecycle;
import org.springframework.util.ReflectionUtils;

/**
 * One election of the application: one candidacy, which its duty, its services and the calls that it gates share.
 *
 * <p>A term begins by starting the services and opening the gate, and then runs the duty if there is one. It ends in reverse: the gate admits
 * nobody from the moment the term begins to end ({@link Leadership#isActive()}), the duty returns, the calls inside return, the services
 * stop. Only then does the engine release the claim. A call that does not return is an overdue drain, like a duty that does not.
 */
final class LedElection implements ActivePassive {
    private final Campaign campaign;
    private final List<Lifecycle> services = new ArrayList<>();
    private final Set<Fence> fences = new LinkedHashSet<>();
    /** A call holds the lock for reading while it is inside. */
    private final ReentrantReadWriteLock calls = new ReentrantReadWriteLock();

    private UnaryOperator<Campaign> settings = UnaryOperator.identity();
    private @Nullable BeanMethod duty;
    private volatile @Nullable Leadership leadership;

    /** A method of a bean that takes one argument or none, called through the bean, so that other advice applies. */
    record BeanMethod(Object bean, Method method) {
        void invoke(Object argument) throws Exception {
            try {
                method.invoke(bean, Arrays.copyOf(new Object[] {argument}, method.getParameterCount()));
            } catch (InvocationTargetException failure) {
                ReflectionUtils.rethrowException(failure.getTargetException());
            }
        }

        @Override
        public String toString() {
            return Shape.nameOf(method);
        }
    }

    LedElection(Campaign campaign) {
        this.campaign = campaign;
    }

    ElectionName name() {
        return campaign.election();
    }

    Optional<BeanMethod> duty() {
        return Optional.ofNullable(duty);
    }

    void perform(BeanMethod method, UnaryOperator<Campaign> how) {
        duty = method;
        settings = how;
    }

    void start(Lifecycle service) {
        services.add(service);
    }

    void fencedBy(List<Fence> more) {
        fences.addAll(more);
    }

    Candidacy stand() {
        Campaign changed = settings.apply(campaign).fencedBy(fences.toArray(Fence[]::new));
        BeanMethod method = duty;
        return method == null
                ? changed.run(this)
                : changed.perform(led -> {
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
        try {
            services.forEach(Lifecycle::start);
        } catch (RuntimeException | Error failure) {
            stop(services.size() - 1);
            throw failure;
        }
        leadership = led;
    }

    /**
     * Waits for the calls inside, and is not cut short by the interrupt with which a duty is asked to stop. A thread that is inside does not wait
     * for itself: that is a test which drives virtual time from a gated method.
     */
    @Override
    public void deactivate(Loss loss) {
        leadership = null;
        if (Leaderships.find(name()).isPresent()) {
            stop(services.size() - 1);
            return;
        }
        calls.writeLock().lock();
        try {
            stop(services.size() - 1);
        } finally {
            calls.writeLock().unlock();
        }
    }

    /** In reverse order. Each is asked to stop, also after another has failed to. */
    private void stop(int last) {
        if (last >= 0) {
            try {
                services.get(last).stop();
            } finally {
                stop(last - 1);
            }
        }
    }

    /** Whether a call would be admitted now. */
    boolean isLeading() {
        return admitting().isPresent();
    }

    private Optional<Leadership> admitting() {
        return Optional.ofNullable(leadership).filter(led -> led.isActive() && led.isValid());
    }

    /**
     * Runs the work if this process leads, and says whether it did. A call from inside another one of the same term, or from the duty, is admitted
     * while there is authority, also when the term has begun to end: the outer one is being waited for.
     */
    <E extends Throwable> boolean ifLeading(TenureTemplate.Action<E> work) throws E {
        Optional<Leadership> outer = Leaderships.find(name()).filter(Leadership::isValid);
        if (outer.isPresent()) {
            return run(work, outer);
        }
        if (!calls.readLock().tryLock()) { // the term ends at this very moment
            return false;
        }
        try {
            return run(work, admitting());
        } finally {
            calls.readLock().unlock();
        }
    }

    private static <E extends Throwable> boolean run(TenureTemplate.Action<E> work, Optional<Leadership> led) throws E {
        if (led.isPresent()) {
            try (Leaderships.Scope scope = Leaderships.open(led.get())) {
                work.run(led.get());
            }
        }
        return led.isPresent();
    }
}
