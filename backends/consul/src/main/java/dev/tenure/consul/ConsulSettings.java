// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.StoreUrl.Server;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code consul://host:8500,host:8500/prefix?option=value&…}. */
record ConsulSettings(StoreUrl url, List<Server> servers, KeyLayout keys, Duration timeout, boolean standoff) {
    private static final String EXAMPLE = "consul://consul-0:8500,consul-1:8500/billing";
    private static final Set<String> OPTIONS =
            Set.of("token", "token.file", "namespace", "datacenter", "timeout", "standoff");
    private static final int PORT = 8500;
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    static ConsulSettings of(BackendUrl from) {
        StoreUrl url = StoreUrl.of(from, EXAMPLE, OPTIONS);
        if (url.login().isPresent()) {
            throw StoreUrl.refused("Consul has no users: name the file of an ACL token by ?token.file=FILE");
        }
        String path = BackendUrl.decodedPart(url.path()).replaceAll("^/+|/+$", "");
        ConsulSettings settings = new ConsulSettings(
                url,
                url.servers(PORT),
                new KeyLayout(path.isEmpty() ? "tenure" : path),
                url.duration("timeout", TIMEOUT, TIMEOUT_MAX),
                url.flag("standoff", false));
        settings.token();
        return settings;
    }

    /** Read for every call, so that a token can be replaced while the process runs. */
    Optional<String> token() {
        Optional<String> inFile = url.file("token.file").map(ConsulSettings::text);
        Optional<String> token = inFile.or(() -> url.option("token"));
        // The client of the JDK would refuse anything else as well, and show it.
        if (token.isPresent() && !token.get().matches("[!-~]+")) {
            throw StoreUrl.refused(
                    inFile.isPresent()
                            ? "the file of token.file must hold one token and nothing else"
                            : "option token must hold one token and nothing else");
        }
        return token;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw StoreUrl.refused("the file of token.file is no text");
        }
    }

    /** Namespace and datacenter, as every request of Consul's has them. */
    String everywhere() {
        return parameter("ns", "namespace") + parameter("dc", "datacenter");
    }

    private String parameter(String name, String option) {
        return url.option(option)
                .map(value -> "&" + name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8))
                .orElse("");
    }
}
