// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import dev.tenure.jdbc.JdbcOptions;
import dev.tenure.jdbc.JdbcStore;
import dev.tenure.spi.BackendException;
import dev.tenure.spring.TenureConfiguration;
import dev.tenure.spring.TenureConfigurationException;
import dev.tenure.spring.TenureLifecycle;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.ClassUtils;

/**
 * A client by {@code tenure.url}, unless the application has one of its own, and what stands behind the annotations. There is no way to have the
 * annotations without a client: a gated method would then run on every instance.
 */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@EnableConfigurationProperties(TenureProperties.class)
@Import(TenureConfiguration.class)
public class TenureAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    Tenure tenure(TenureProperties properties, BeanFactory beans) {
        try {
            TenureBuilder builder = "datasource".equals(properties.url())
                    ? overDataSource(beans)
                    : Tenure.connect(url(properties.url(), properties.ssl(), beans));
            PropertyMapper map = PropertyMapper.get();
            map.from(properties::ttl).to(builder::ttl);
            map.from(properties::node).to(builder::node);
            map.from(properties::requireGrade).to(builder::requireGrade);
            map.from(properties::acknowledgeBestEffort).whenTrue().toCall(builder::acknowledgeBestEffort);
            return builder.open();
        } catch (IllegalArgumentException | BackendException refused) {
            throw new TenureConfigurationException(
                    "the store that tenure.url names cannot be used", String.valueOf(refused.getMessage()), refused);
        }
    }

    private static String url(@Nullable String url, TenureProperties.@Nullable Ssl ssl, BeanFactory beans) {
        if (url == null || url.isBlank()) {
            throw new TenureConfigurationException(
                    "no store is configured",
                    "set tenure.url=datasource to elect in the application's own database, or name a store, such as"
                            + " tenure.url=etcd://host:2379");
        }
        if (ssl == null || ssl.bundle() == null) {
            return url;
        }
        if (url.startsWith("jdbc:")) {
            throw new TenureConfigurationException(
                    "tenure.ssl.bundle does not apply to a JDBC URL",
                    "TLS is the driver's: use its options in the URL");
        }
        return url + (url.contains("?") ? "&" : "?") + BundleFiles.of(beans.getBean(SslBundles.class), ssl.bundle());
    }

    private static TenureBuilder overDataSource(BeanFactory beans) {
        if (!ClassUtils.isPresent("dev.tenure.jdbc.JdbcStore", TenureAutoConfiguration.class.getClassLoader())) {
            throw new TenureConfigurationException(
                    "tenure.url=datasource needs a backend that is missing", "add dev.tenure:tenure-jdbc");
        }
        DataSource source = TenureConfigurationException.refusing(
                "tenure.url=datasource needs one DataSource",
                "configure spring.datasource.url, or mark one of several as primary",
                () -> beans.getBean(DataSource.class));
        return Tenure.using(host -> JdbcStore.open(source, JdbcOptions.standard(), host));
    }

    /** The web server is up, and runners have run. */
    @Bean
    @Lazy(false)
    ApplicationListener<ApplicationReadyEvent> tenureWhenReady(TenureLifecycle lifecycle) {
        lifecycle.waitForReady();
        return event -> lifecycle.stand();
    }
}
