package dev.tenure.peers.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The first thing that each side says.
 *
 * @param group what both must agree on: members, algorithm, times. Shown to people when it differs
 * @param from the name of a member, or {@link #GUEST} for somebody who only looks
 * @param to whom it means to speak to
 * @param instance of this very process, to tell it from another one of the same name
 * @param base the lowest term in which this one begins an election that it does not know
 * @param secret does it have one?
 * @param nonce 256 random bits in hexadecimal, never the same
 */
public record Hello(String group, String from, String to, long instance, long base, boolean secret, String nonce) {
    public static final String GUEST = "";
    static final int NONCE_DIGITS = 64;
    static final byte VERSION = 1;
    private static final int MAGIC = 0x54504545; // "TPEE"

    /** A line of another program is told from one of another version: the first four bytes never change. */
    byte[] encoded() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            out.writeByte(VERSION);
            out.writeUTF(group);
            out.writeUTF(from);
            out.writeUTF(to);
            out.writeLong(instance);
            out.writeLong(base);
            out.writeBoolean(secret);
            out.writeUTF(nonce);
        } catch (IOException impossible) {
            throw new UncheckedIOException("writing to memory", impossible);
        }
        return bytes.toByteArray();
    }

    static Hello decoded(byte[] frame) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame));
        try {
            if (in.readInt() != MAGIC) {
                throw new Garbled("a greeting of something else");
            }
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new Refused("the other side speaks version " + version + " of the protocol, and this one version "
                        + VERSION + ": run the same release of Tenure everywhere");
            }
            Hello hello = new Hello(
                    in.readUTF(),
                    in.readUTF(),
                    in.readUTF(),
                    in.readLong(),
                    in.readLong(),
                    in.readBoolean(),
                    in.readUTF());
            if (hello.nonce.length() != NONCE_DIGITS || in.read() >= 0) {
                throw new Garbled("a greeting of the wrong length");
            }
            return hello;
        } catch (java.io.EOFException | java.io.UTFDataFormatException broken) {
            throw new Garbled("a greeting that is not whole");
        }
    }
}
