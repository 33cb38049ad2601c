package dev.tenure.kubernetes.lease;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Optional;

/**
 * A record of Tenure in the annotations of a Lease: the era. Its fields keep other
 * electors out that stand under its name by mistake: it is held by somebody, practically for ever.
 */
public final class RecordLease {
    private static final String KEY = "tenure.dev/key";
    private static final String VALUE = "tenure.dev/record";
    private static final String HOLDER = "tenure";

    private RecordLease() {}

    public static String key(Lease lease) {
        return annotation(lease, KEY);
    }

    /** @throws BackendException if it is the Lease of another record */
    public static String value(Lease lease, String key) {
        if (!key(lease).equals(key)) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.CORRUPT,
                    "Lease " + lease.getMetadata().getName() + " is not of record '" + key + "' but of '" + key(lease)
                            + "'");
        }
        return annotation(lease, VALUE);
    }

    private static String annotation(Lease lease, String name) {
        Map<String, String> all = lease.getMetadata().getAnnotations();
        return all == null ? "" : all.getOrDefault(name, "");
    }

    /** @param now new for every write, because one that changes nothing gets no new version */
    public static Lease written(Optional<Lease> before, String key, String value, ZonedDateTime now) {
        return before.map(LeaseBuilder::new)
                .orElseGet(() -> new LeaseBuilder()
                        .withNewMetadata()
                        .withName(LeaseNames.ERA)
                        .endMetadata()
                        .withNewSpec()
                        .withAcquireTime(now)
                        .withLeaseTransitions(0)
                        .endSpec())
                .editMetadata()
                .addToAnnotations(KEY, key)
                .addToAnnotations(VALUE, value)
                .endMetadata()
                .editSpec()
                .withHolderIdentity(HOLDER)
                .withLeaseDurationSeconds(Integer.MAX_VALUE)
                .withRenewTime(now)
                .endSpec()
                .build();
    }
}
