// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.TlsFiles;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the URL says: {@code etcd://[user[:password]@]host[:port],…/folder?option=value&…}.
 *
 * @param shown the URL as it may be printed
 * @param timeout how long an answer is waited for
 */
public record EtcdSettings(
        String shown,
        List<URI> endpoints,
        Keys keys,
        Optional<StoreUrl.Login> user,
        Optional<TlsFiles> tls,
        Duration timeout) {
    private static final String EXAMPLE = "etcd://host:2379,host:2379/folder";
    private static final int PORT = 2379;

    public static EtcdSettings of(BackendUrl text) {
        StoreUrl url = StoreUrl.of(text, EXAMPLE, Set.of("raw", "timeout"));
        boolean raw = url.flag("raw", false);
        String folder = BackendUrl.decodedPart(url.path()).replaceAll("^/+|/+$", "");
        Optional<TlsFiles> tls = url.tls();
        String scheme = tls.isPresent() ? "https" : "http";
        return new EtcdSettings(
                url.toString(),
                url.servers(PORT).stream()
                        .map(server -> endpoint(scheme, server))
                        .toList(),
                new Keys(folder.isEmpty() && !raw ? "tenure" : folder, raw),
                url.login(),
                tls,
                url.duration("timeout", Duration.ofSeconds(3), Duration.ofMinutes(1)));
    }

    private static URI endpoint(String scheme, StoreUrl.Server server) {
        try {
            return new URI(scheme, null, server.host(), server.port(), null, null, null);
        } catch (URISyntaxException notAName) {
            throw StoreUrl.refused("'" + server + "' is not the name of a server: write " + EXAMPLE);
        }
    }
}
