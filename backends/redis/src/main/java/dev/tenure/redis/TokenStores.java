package dev.tenure.redis;

import dev.tenure.Grade;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Door;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.support.StoreUrl;
import java.util.ServiceLoader;

/** Connects to the store that {@code ?tokens=URL} names. */
public final class TokenStores {
    private static final String WHAT = "?tokens= must name a store that keeps records and loses none, such as"
            + " tokens=jdbc:postgresql://host/database (with %26 for each & in it)";

    private TokenStores() {}

    /** @param text a store URL; never shown as it is, because it may have a password */
    public static LeaseStore connect(String text, Host host) {
        BackendUrl url = BackendUrl.parse(text);
        for (BackendProvider provider : ServiceLoader.load(BackendProvider.class)) {
            if (provider.schemes().contains(url.scheme())) {
                return checked(provider.connect(url, host), url);
            }
        }
        throw StoreUrl.refused("no backend for '" + url.scheme() + ":' is on the class path: " + WHAT);
    }

    private static LeaseStore checked(Door door, BackendUrl url) {
        if (door instanceof LeaseStore store && store.traits().grade() != Grade.D) {
            return store;
        }
        door.close();
        throw StoreUrl.refused("tokens cannot be drawn from '" + url + "': " + WHAT);
    }
}
