package dev.tenure.wire;

import java.io.IOException;

/**
 * The connection ended after the handshake and before the server's first word. With TLS 1.3 this is also how one hears that a
 * certificate was missing: the reason that the server gave is lost when its connection is reset.
 */
public final class EndedEarly extends IOException {
    private static final long serialVersionUID = 1L;

    EndedEarly(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
