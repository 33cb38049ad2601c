package dev.tenure.etcd;

import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.StoreEra;
import java.util.LinkedHashMap;
import java.util.Map;

/** The store's random id and its era. */
final class EraRecord {
    private static final String HEADING = "tenure era 1";

    private EraRecord() {}

    static String text(StoreEra era) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("store", era.storeId());
        fields.put("era", Integer.toString(era.era()));
        return Fields.write(HEADING, fields);
    }

    static StoreEra of(KeyValue stored) {
        try {
            Fields fields = Fields.read(HEADING, stored.value())
                    .orElseThrow(() -> new IllegalArgumentException("it does not begin with '" + HEADING + "'"));
            return new StoreEra(fields.text("store"), (int) fields.number("era", 0, FencingToken.ERA_MAX));
        } catch (IllegalArgumentException damaged) {
            throw new BackendException(
                    BackendException.Effect.NONE,
                    BackendException.Kind.CORRUPT,
                    "key " + stored.key() + " was not written by this version of Tenure: " + damaged.getMessage()
                            + ". Nothing was changed; look at the key, and remove it if it is not wanted",
                    damaged);
        }
    }
}
