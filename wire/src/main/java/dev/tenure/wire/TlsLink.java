package dev.tenure.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLParameters;

/** With TLS. Nothing is taken before both sides know each other, and the name in the server's certificate is checked. */
public final class TlsLink implements Link {
    private final SocketChannel channel;
    private final SSLEngine engine;
    /** As it came, and as it goes. */
    private ByteBuffer arrived;

    private final ByteBuffer leaving;
    private ByteBuffer plain;
    private boolean ended;
    private boolean heard;

    /** @param protocols which of them are offered (ALPN), such as {@code h2}; none where there is no choice */
    public TlsLink(SocketChannel channel, SSLContext context, String host, int port, String... protocols)
            throws IOException {
        this.channel = channel;
        this.engine = context.createSSLEngine(host, port);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(protocols);
        engine.setSSLParameters(parameters);
        engine.setUseClientMode(true);
        arrived = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        leaving = ByteBuffer.allocate(2 * engine.getSession().getPacketBufferSize())
                .limit(0);
        plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                .limit(0);
        engine.beginHandshake();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        shakeHands();
        while (!plain.hasRemaining()) {
            if (!unwrap()) {
                return ended ? -1 : 0;
            }
            shakeHands();
        }
        heard = true;
        int count = Math.min(plain.remaining(), target.remaining());
        target.put(plain.slice(plain.position(), count));
        plain.position(plain.position() + count);
        return count;
    }

    /** Decrypts one record, waiting for the rest of it if need be; false if that takes more than has arrived. */
    private boolean unwrap() throws IOException {
        if (engine.isInboundDone()) {
            ended = true;
            return false;
        }
        while (true) {
            plain.clear();
            arrived.flip();
            SSLEngineResult result;
            try {
                result = engine.unwrap(arrived, plain);
            } finally {
                arrived.compact();
                plain.flip();
            }
            if (result.getStatus() == Status.BUFFER_OVERFLOW) {
                plain = ByteBuffer.allocate(2 * plain.capacity()).limit(0);
            } else if (result.getStatus() == Status.BUFFER_UNDERFLOW) {
                if (!receive()) {
                    return false;
                }
            } else {
                ended = result.getStatus() == Status.CLOSED;
                return !ended;
            }
        }
    }

    private boolean receive() throws IOException {
        if (!arrived.hasRemaining()) {
            arrived = ByteBuffer.allocate(2 * arrived.capacity()).put(arrived.flip());
        }
        int count;
        try {
            count = channel.read(arrived);
        } catch (IOException broken) {
            throw told(broken);
        }
        if (count < 0) {
            ended = true;
        }
        return count > 0;
    }

    /** Does what the handshake wants of this side; what it wants of the other comes with the next bytes. */
    private void shakeHands() throws IOException {
        while (true) {
            HandshakeStatus wanted = engine.getHandshakeStatus();
            if (wanted == HandshakeStatus.NEED_TASK) {
                for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                    task.run();
                }
            } else if (wanted == HandshakeStatus.NEED_WRAP) {
                if (!wrap(ByteBuffer.allocate(0))) {
                    return;
                }
            } else if (wanted == HandshakeStatus.NEED_UNWRAP && !plain.hasRemaining()) {
                if (!unwrap()) {
                    return;
                }
            } else {
                return;
            }
        }
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
        shakeHands();
        send();
        while (source.hasRemaining() && engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING) {
            if (!wrap(source)) {
                return;
            }
        }
    }

    /** Encrypts one record and sends it; false if the network takes no more. */
    private boolean wrap(ByteBuffer source) throws IOException {
        send();
        if (leaving.remaining() > leaving.capacity() / 2) {
            return false;
        }
        leaving.compact();
        SSLEngineResult result;
        try {
            result = engine.wrap(source, leaving);
        } finally {
            leaving.flip();
        }
        send();
        if (result.getStatus() == Status.CLOSED && source.hasRemaining()) {
            throw new IOException("the server has ended TLS");
        }
        return true;
    }

    private void send() throws IOException {
        if (leaving.hasRemaining()) {
            try {
                channel.write(leaving);
            } catch (IOException broken) {
                throw told(broken);
            }
        }
    }

    private IOException told(IOException broken) {
        return heard ? broken : new EndedEarly(broken);
    }

    @Override
    public boolean isFull() {
        return leaving.hasRemaining();
    }

    /** Without a word of goodbye, for which it might have to wait: the protocols above say where a frame ends. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
