package dev.tenure.peers.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One direction of a line: every frame ends with a seal over its number and its content, under a key that both sides made for this
 * line alone. So a frame that was changed, put in, left out, said twice or taken from another line does not fit.
 */
final class Seal {
    private final Secret key;
    private long number;

    Seal(Secret key) {
        this.key = key;
    }

    byte[] close(byte[] content) {
        byte[] sealed = Arrays.copyOf(content, content.length + Secret.SEAL_BYTES);
        System.arraycopy(mac(content), 0, sealed, content.length, Secret.SEAL_BYTES);
        return sealed;
    }

    byte[] open(byte[] frame) throws Garbled {
        if (frame.length < Secret.SEAL_BYTES) {
            throw new Garbled("a frame without a seal");
        }
        byte[] content = Arrays.copyOf(frame, frame.length - Secret.SEAL_BYTES);
        byte[] seal = Arrays.copyOfRange(frame, content.length, frame.length);
        if (!Secret.same(seal, mac(content))) {
            throw new Garbled("a frame whose seal does not fit");
        }
        return content;
    }

    private byte[] mac(byte[] content) {
        byte[] numbered = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        number++;
        return key.sealed("frame", numbered, content);
    }
}
