// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static dev.tenure.spi.support.StoreUrl.refused;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.StoreUrl;
import io.fabric8.kubernetes.client.Config;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a URL says, and the configuration that it leads to: of the pod, or of a kubeconfig. A URL holds no secret: credentials come from
 * these files alone.
 *
 * @param sessions does one renewal keep all elections of a process?
 * @param timeout of one request
 */
record KubernetesSettings(Config config, String namespace, boolean sessions, Duration timeout) {
    private static final String EXAMPLE = "kubernetes://my-namespace";
    private static final Set<String> OPTIONS = Set.of("kubeconfig", "context", "sessions", "timeout");
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    static KubernetesSettings of(BackendUrl url) {
        String named = url.rest().replaceFirst("^//", "").replaceFirst("/$", "");
        StoreUrl options = StoreUrl.ofPath(new BackendUrl(url.scheme(), "/" + named, url.options()), EXAMPLE, OPTIONS);
        boolean sessions = options.flag("sessions", false);
        Duration timeout = options.duration("timeout", TIMEOUT, TIMEOUT_MAX);
        Config config = config(options.file("kubeconfig"), options.option("context"));
        String namespace = named.isEmpty() ? config.getNamespace() : named;
        if (namespace == null || !NAMESPACE.matcher(namespace).matches()) {
            throw refused("'" + url + "' names no namespace: write " + EXAMPLE + ", in which servers"
                    + " are not named: those come from the pod or from a kubeconfig");
        }
        config.setRequestRetryBackoffLimit(0); // core retries
        config.setConnectionTimeout((int) Math.max(1, timeout.toMillis() / 3));
        // A request that times out closes its connection of HTTP/1.1. One of HTTP/2 would be kept, dead as it may be.
        config.setHttp2Disable(true);
        return new KubernetesSettings(config, namespace, sessions, timeout);
    }

    /** What the client says of a broken file is not shown: it may quote a token. */
    private static Config config(Optional<Path> file, Optional<String> named) {
        @Nullable String context = named.orElse(null);
        Config config;
        try {
            config = file.isPresent()
                    ? Config.fromKubeconfig(context, file.get().toFile())
                    : Config.autoConfigure(context);
        } catch (RuntimeException unusable) {
            throw refused(file.map(Path::toString).orElse("the kubeconfig of this user") + " cannot be used:"
                    + " see what 'kubectl config view' says of it");
        }
        if (context != null
                && (config.getCurrentContext() == null
                        || !context.equals(config.getCurrentContext().getName()))) {
            throw refused("the kubeconfig has no context '" + context + "': see 'kubectl config get-contexts'");
        }
        boolean found = file.isPresent()
                || config.getCurrentContext() != null
                || !config.getMasterUrl().startsWith(Config.DEFAULT_MASTER_URL);
        if (!found) {
            throw refused("no cluster is known: this is no pod with a service account, and there is no"
                    + " kubeconfig; write kubernetes://namespace?kubeconfig=FILE");
        }
        return config;
    }

    /** As people call it. */
    @Override
    public String toString() {
        return "kubernetes namespace " + namespace + " at " + config.getMasterUrl();
    }
}
