package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code jdbc:…}, as the driver wants it; options of Tenure begin with {@code tenure.}. */
public final class JdbcProvider implements BackendProvider {
    private static final Pattern PASSWORD_IN_PLACE = Pattern.compile("(?i);\\s*password=([^;]*)");

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public String optionPrefix() {
        return JdbcOptions.OURS;
    }

    @Override
    public JdbcStore connect(BackendUrl url, Host host) {
        JdbcOptions options = JdbcOptions.of(url);
        String product = url.rest().replaceFirst(":.*", "");
        Dialect dialect = Dialects.of(product).orElseThrow(() -> refused(Dialects.unknown(product)));
        String place = "jdbc:" + url.rest();
        requireDriver(place, product);
        Properties settings = settings(url, dialect, options);
        Optional<Path> passwordFile = url.option("tenure.password.file").map(Path::of);
        Connections connections =
                new OwnConnections(place, () -> withPassword(settings, passwordFile), JdbcStore.millis(options));
        Database database = Database.of(dialect, Places.shown(place), options, secrets(url));
        return JdbcStore.open(connections, options, database, host);
    }

    private static void requireDriver(String place, String product) {
        try {
            DriverManager.getDriver(place);
        } catch (SQLException none) {
            throw refused("no driver on the class path takes jdbc:" + product
                    + ": URLs of this form; add the JDBC driver of the database, or correct the URL");
        }
    }

    /** The user's own settings win over our limits. */
    private static Properties settings(BackendUrl url, Dialect dialect, JdbcOptions options) {
        Properties settings = new Properties();
        settings.putAll(dialect.limits(options.timeout()));
        url.options().forEach((name, value) -> {
            if (!name.startsWith(JdbcOptions.OURS)) {
                settings.setProperty(name, value);
            }
        });
        return settings;
    }

    /** Read anew for each connection, so that it can be changed under a running candidate. */
    private static Properties withPassword(Properties settings, Optional<Path> file) {
        if (file.isEmpty()) {
            return settings;
        }
        Properties all = new Properties();
        all.putAll(settings);
        try {
            all.setProperty("password", Files.readString(file.get()).strip());
        } catch (IOException failure) {
            throw refused("the file of tenure.password.file cannot be read: " + failure);
        }
        return all;
    }

    private static List<String> secrets(BackendUrl url) {
        List<String> secrets = new ArrayList<>();
        for (Map.Entry<String, String> option : url.options().entrySet()) {
            if (option.getKey().toLowerCase(Locale.ROOT).contains("password")) {
                secrets.add(option.getValue());
            }
        }
        Matcher inPlace = PASSWORD_IN_PLACE.matcher(url.rest());
        while (inPlace.find()) {
            secrets.add(inPlace.group(1));
        }
        return secrets;
    }

    private static BackendException refused(String sentence) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence);
    }
}
