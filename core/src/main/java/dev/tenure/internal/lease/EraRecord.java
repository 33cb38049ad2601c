package dev.tenure.internal.lease;

import dev.tenure.FencingToken;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code e}: the store's random id and its era. */
final class EraRecord {
    private static final String HEADING = "tenure era 1";
    static final String KEY = "e";

    private EraRecord() {}

    static String text(StoreEra era) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("store", era.storeId());
        fields.put("era", Integer.toString(era.era()));
        return RecordText.write(HEADING, fields);
    }

    static StoreEra of(Versioned stored) {
        RecordText text = RecordText.read(stored.key(), HEADING, stored.value());
        return new StoreEra(text.text("store"), (int) text.number("era", 0, FencingToken.ERA_MAX));
    }
}
