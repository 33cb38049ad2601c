package example;

import dev.tenure.fence.sql.FencedSql;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

@SpringBootApplication
@EnableScheduling
public class BillingApplication {
    public static void main(String[] args) {
        SpringApplication.run(BillingApplication.class, args);
    }

    /** A row in the application's own database that remembers the newest leader. */
    @Bean
    FencedSql invoices(DataSource source) {
        return FencedSql.guarding(source, "invoices");
    }
}
