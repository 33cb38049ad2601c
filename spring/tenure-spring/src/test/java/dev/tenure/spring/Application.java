// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.testing.FakeElections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.MapPropertySource;

/** An instance of an application: a context whose client is a node of fake elections. */
final class Application implements AutoCloseable {
    final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    final List<TenureEvent> events = new ArrayList<>();

    @EnableTenure
    static class Enabled {}

    /** Hears every event, as a listener of the application does. */
    record Ear(List<TenureEvent> events) {
        @EventListener
        void on(TenureEvent event) {
            events.add(event);
        }
    }

    private Application(FakeElections elections, String node) {
        context.registerBean(FakeElections.class, () -> elections, definition -> definition.setDestroyMethodName(""));
        context.registerBean(
                Tenure.class, () -> elections.node(node).tenure(), definition -> definition.setDestroyMethodName(""));
        context.registerBean(Ear.class, () -> new Ear(events));
        context.register(Enabled.class);
    }

    static Application started(FakeElections elections, String node, Class<?>... beans) {
        Application application = new Application(elections, node);
        application.context.register(beans);
        application.context.refresh();
        return application;
    }

    static Application started(FakeElections elections, String node, Map<String, Object> settings, Class<?>... beans) {
        Application application = new Application(elections, node);
        application.context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", settings));
        application.context.register(beans);
        application.context.refresh();
        return application;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    List<String> eventNames() {
        return events.stream().map(one -> one.getClass().getSimpleName()).toList();
    }

    boolean isAround(String... names) {
        return eventNames().containsAll(Arrays.asList(names));
    }

    static void settle(FakeElections elections) {
        elections.advance(Duration.ofMillis(500));
    }

    @Override
    public void close() {
        context.close();
    }
}
