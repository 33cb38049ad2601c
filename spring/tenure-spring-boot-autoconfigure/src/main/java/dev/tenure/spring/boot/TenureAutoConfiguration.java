package dev.tenure.spring.boot;

import dev.tenure.Campaign;
import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import dev.tenure.spi.BackendException;
import dev.tenure.spring.CampaignCustomizer;
import dev.tenure.spring.TenureConfigurationException;
import dev.tenure.spring.TenureLifecycle;
import dev.tenure.spring.TenureLifecycle.StandAt;
import dev.tenure.spring.boot.TenureProperties.Election;
import dev.tenure.spring.support.TenureConfiguration;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/**
 * A client by {@code tenure.url}, unless the application has one of its own, and what stands behind the annotations. There is no way to have the
 * annotations without a client: a gated method would then run on every instance.
 */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass(Tenure.class)
@EnableConfigurationProperties(TenureProperties.class)
@Import(TenureConfiguration.class)
public class TenureAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Tenure tenure(TenureProperties properties, BeanFactory beans, ApplicationContext context) {
        try {
            TenureBuilder builder = new StoreOfProperties(properties, beans, context.getEnvironment()).builder();
            PropertyMapper map = PropertyMapper.get();
            map.from(properties::getTtl).to(builder::ttl);
            map.from(properties::getNode).to(builder::node);
            map.from(properties::getRequireGrade).to(builder::requireGrade);
            if (properties.isAcknowledgeBestEffort()) {
                builder.acknowledgeBestEffort();
            }
            return builder.open();
        } catch (IllegalArgumentException | BackendException refused) {
            throw new TenureConfigurationException(
                    "the store that tenure.url names cannot be used", String.valueOf(refused.getMessage()), refused);
        }
    }

    @Bean
    StandAt tenureStandAt(TenureProperties properties) {
        return properties.getStand();
    }

    @Bean
    @Lazy(false)
    ApplicationListener<ApplicationReadyEvent> tenureWhenReady(
            TenureLifecycle lifecycle, StandAt moment, ApplicationContext context) {
        return event -> {
            if (moment == StandAt.READY && event.getApplicationContext() == context) {
                lifecycle.start();
            }
        };
    }

    @Bean
    CampaignCustomizer tenureElectionProperties(TenureProperties properties, BeanFactory beans) {
        return new CampaignCustomizer() {
            @Override
            public Set<String> elections() {
                return properties.getElections().keySet();
            }

            @Override
            public Campaign customize(ElectionName election, Campaign campaign) {
                Election settings = properties.getElections().get(election.toString());
                return settings == null ? campaign : customized(campaign, settings, beans);
            }
        };
    }

    private static Campaign customized(Campaign campaign, Election settings, BeanFactory beans) {
        Campaign changed = campaign.fencedBy(settings.fencedBy().stream()
                .map(name -> beans.getBean(name, Fence.class))
                .toArray(Fence[]::new));
        if (settings.drain() != null) {
            changed = changed.drainWithin(settings.drain());
        }
        if (settings.coolDown() != null) {
            changed = changed.coolDown(settings.coolDown());
        }
        return settings.onOverdue() != null ? changed.onOverdue(settings.onOverdue()) : changed;
    }
}
