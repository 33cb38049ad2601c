package example;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import java.time.Duration;

/** Run it in several terminals: one of them works, and when it ends, the next one goes on. */
public final class NightlyReport {
    private NightlyReport() {}

    public static void main(String[] arguments) {
        try (Tenure tenure = Tenure.connect(arguments.length > 0 ? arguments[0] : "local:").open()) {
            tenure.elect("reports/nightly")
                    .perform(NightlyReport::work)
                    .retired()
                    .toCompletableFuture()
                    .join();
        }
    }

    static void work(Leadership leadership) throws InterruptedException {
        for (int page = 1; page <= 3 && leadership.isActive(); page++) {
            System.out.println("page " + page + " under token " + leadership.token());
            leadership.rest(Duration.ofMillis(200));
        }
    }
}
