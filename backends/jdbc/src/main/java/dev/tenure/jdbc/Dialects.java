package dev.tenure.jdbc;

import dev.tenure.spi.support.StoreUrl;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** The dialects that are known here: those of users first. */
final class Dialects {
    private static final List<Dialect> OURS = List.of(new PostgresDialect(), new MariaDbDialect(), new H2Dialect());

    private Dialects() {}

    /** @param product as after {@code jdbc:} in a URL, or as the driver names it */
    static Dialect of(String product) {
        String name = product.toLowerCase(Locale.ROOT);
        Stream<Dialect> theirs = ServiceLoader.load(Dialect.class).stream().map(ServiceLoader.Provider::get);
        return Stream.concat(theirs, OURS.stream())
                .filter(dialect -> dialect.speaks(name))
                .findFirst()
                .orElseThrow(() -> StoreUrl.refused("no dialect for '" + product
                        + "' is known (there are PostgreSQL, MariaDB, MySQL and H2): implement "
                        + Dialect.class.getName() + " and register it as a service"));
    }
}
