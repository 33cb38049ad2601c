package dev.tenure.spring.support;

import dev.tenure.Tenure;
import dev.tenure.patterns.Cron;
import dev.tenure.patterns.CronJob;
import dev.tenure.patterns.CronRun;
import dev.tenure.patterns.Journal;
import dev.tenure.patterns.Schedule;
import dev.tenure.spring.FencedScheduled;
import dev.tenure.spring.Leaderships;
import dev.tenure.spring.TenureConfigurationException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** The jobs of the application. A bean of its own, because its classes need the patterns, which an application may lack. */
final class ScheduledJobs {
    static final String NAME = "dev.tenure.spring.support.scheduledJobs";

    private final BeanFactory beans;
    private final List<Job> jobs = new ArrayList<>();

    private record Job(FencedScheduled schedule, BeanMethod method) {}

    ScheduledJobs(BeanFactory beans) {
        this.beans = beans;
    }

    static ScheduledJobs in(BeanFactory beans) {
        return beans.getBean(NAME, ScheduledJobs.class);
    }

    static Class<?> parameter() {
        return CronRun.class;
    }

    void add(FencedScheduled schedule, BeanMethod method) {
        jobs.add(new Job(schedule, method));
    }

    /** A new one each time the application stands: what was closed does not start again. */
    AutoCloseable start(Tenure tenure) {
        Cron cron = Cron.on(tenure, journal());
        jobs.forEach(job -> add(job, cron));
        return cron.start();
    }

    private void add(Job job, Cron cron) {
        FencedScheduled schedule = job.schedule;
        String name = schedule.job().isEmpty() ? job.method.toString() : resolve(schedule.job());
        CronJob described =
                cron.at(name, scheduleOf(schedule)).missed(schedule.missed()).overlap(schedule.overlap());
        if (!schedule.timeout().isEmpty()) {
            described = described.timeout(duration(schedule.timeout()));
        }
        described.fire(run -> {
            try (Leaderships.Scope scope = Leaderships.open(run.leadership())) {
                job.method.invoke(run);
            }
        });
    }

    private Schedule scheduleOf(FencedScheduled schedule) {
        if (schedule.cron().isEmpty() == schedule.every().isEmpty()) {
            throw new IllegalArgumentException("@FencedScheduled needs one of cron and every");
        }
        return schedule.cron().isEmpty()
                ? Schedule.every(duration(schedule.every()))
                : Schedule.cron(resolve(schedule.cron()), ZoneId.of(resolve(schedule.zone())));
    }

    private Duration duration(String text) {
        return DurationFormatterUtils.detectAndParse(resolve(text));
    }

    private String resolve(String text) {
        return AnnotationScanner.resolve(beans, text);
    }

    /** Applications that share a database have journals of their own. */
    private Journal journal() {
        try {
            return beans.getBeanProvider(Journal.class)
                    .getIfAvailable(() -> Journal.jdbc(beans.getBean(DataSource.class))
                            .named(beans.getBean(Environment.class).getProperty("spring.application.name", "main")));
        } catch (BeansException missing) {
            throw new TenureConfigurationException(
                    "@FencedScheduled needs a journal",
                    "define one DataSource, or a bean of type Journal (" + missing.getMessage() + ")",
                    missing);
        }
    }
}
