package dev.tenure.etcd.grpc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The server has said, or it is certain by itself, that nothing of this call was done. */
public final class NotProcessed extends IOException {
    private static final long serialVersionUID = 1L;

    NotProcessed(String why) {
        super(why);
    }

    NotProcessed(String why, @Nullable Throwable cause) {
        super(why, cause);
    }
}
