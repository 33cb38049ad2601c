package dev.tenure.spring.boot;

import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import dev.tenure.jdbc.JdbcOptions;
import dev.tenure.jdbc.JdbcStore;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spring.TenureConfigurationException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import javax.sql.DataSource;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.util.ClassUtils;

/** The store that {@code tenure.url} names, with the password and the certificates that other properties name. */
final class StoreOfProperties {
    /** The application's own database instead of a URL. */
    static final String DATA_SOURCE = "datasource";

    private final TenureProperties properties;
    private final BeanFactory beans;
    private final Environment environment;

    StoreOfProperties(TenureProperties properties, BeanFactory beans, Environment environment) {
        this.properties = properties;
        this.beans = beans;
        this.environment = environment;
    }

    TenureBuilder builder() {
        String url = properties.getUrl();
        if (url == null || url.isBlank()) {
            throw new TenureConfigurationException(
                    "no store is configured",
                    "set tenure.url=datasource to elect in the application's own database, or name a store, such as"
                            + " tenure.url=etcd://host:2379");
        }
        if (url.equals(DATA_SOURCE)) {
            return overDataSource();
        }
        Map<String, String> options = new LinkedHashMap<>();
        String prefix = optionPrefix(url);
        if (properties.getPasswordFile() != null) {
            options.put(prefix + "password.file", properties.getPasswordFile());
        }
        if (properties.getSsl().getBundle() != null) {
            if (!prefix.isEmpty()) {
                throw new TenureConfigurationException(
                        "tenure.ssl.bundle does not apply to a JDBC URL",
                        "TLS is the driver's: use its options in the URL");
            }
            addTls(properties.getSsl().getBundle(), options);
        }
        return Tenure.connect(with(url, options));
    }

    private TenureBuilder overDataSource() {
        if (!ClassUtils.isPresent("dev.tenure.jdbc.JdbcStore", getClass().getClassLoader())) {
            throw new TenureConfigurationException(
                    "tenure.url=datasource needs a backend that is missing", "add dev.tenure:tenure-jdbc");
        }
        try {
            return Pool.of(beans.getBean(DataSource.class));
        } catch (BeansException missing) {
            throw new TenureConfigurationException(
                    "tenure.url=datasource needs one DataSource",
                    "configure spring.datasource.url, or mark one of several as primary (" + missing.getMessage() + ")",
                    missing);
        }
    }

    /** A class of its own, which an application without the backend does not load. */
    private static final class Pool {
        static TenureBuilder of(DataSource source) {
            return Tenure.using(host -> JdbcStore.open(source, JdbcOptions.standard(), host));
        }
    }

    /** What the options of Tenure begin with in a URL of this scheme. */
    private static String optionPrefix(String url) {
        String scheme = url.substring(0, Math.max(0, url.indexOf(':')));
        for (BackendProvider provider : ServiceLoader.load(BackendProvider.class)) {
            if (provider.schemes().contains(scheme)) {
                return provider.optionPrefix();
            }
        }
        return "";
    }

    private static String with(String url, Map<String, String> options) {
        StringBuilder text = new StringBuilder(url);
        options.forEach((name, value) -> text.append(text.indexOf("?") < 0 ? '?' : '&')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return text.toString();
    }

    /** Backends read certificates and keys from files, so a bundle must consist of files. */
    private void addTls(String bundle, Map<String, String> options) {
        String pem = "spring.ssl.bundle.pem." + bundle;
        String jks = "spring.ssl.bundle.jks." + bundle;
        put(options, "tls.ca", pem + ".truststore.certificate", jks + ".truststore.location");
        put(options, "tls.cert", pem + ".keystore.certificate", jks + ".keystore.location");
        put(options, "tls.key", pem + ".keystore.private-key");
        if (options.keySet().stream().noneMatch(name -> name.startsWith("tls."))) {
            throw new TenureConfigurationException(
                    "there is no SSL bundle '" + bundle + "' with certificates",
                    "define " + pem + ".truststore.certificate, or change tenure.ssl.bundle");
        }
        for (String secret :
                new String[] {".keystore.private-key-password", ".keystore.password", ".truststore.password"}) {
            if (environment.containsProperty(pem + secret) || environment.containsProperty(jks + secret)) {
                throw new TenureConfigurationException(
                        "the SSL bundle '" + bundle + "' has a password, which tenure.ssl.bundle does not read",
                        "name the files in the URL instead: ?tls.ca=…&tls.cert=…&tls.password.file=…");
            }
        }
    }

    private void put(Map<String, String> options, String option, String... names) {
        for (String name : names) {
            String value = environment.getProperty(name);
            if (value != null && value.contains("-----BEGIN")) {
                throw new TenureConfigurationException(
                        name + " contains a certificate or a key instead of naming a file",
                        "put it into a file: backends read TLS from files");
            }
            if (value != null) {
                options.put(option, file(name, value));
            }
        }
    }

    private static String file(String name, String location) {
        try {
            String resource = location.contains(":") ? location : "file:" + location;
            return new DefaultResourceLoader().getResource(resource).getFile().getPath();
        } catch (IOException unusable) {
            throw new TenureConfigurationException(
                    name + "=" + location + " is not a file", "backends read TLS from files", unusable);
        }
    }
}
