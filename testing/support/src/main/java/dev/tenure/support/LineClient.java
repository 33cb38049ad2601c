// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks a {@link LineServer} on this machine, one request at a time. */
public final class LineClient {
    private final BufferedReader in;
    private final PrintWriter out;

    public LineClient(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    public synchronized String ask(String request) throws IOException {
        out.println(request);
        String answer = in.readLine();
        if (answer == null) {
            throw new IOException("the server is gone");
        }
        return answer;
    }
}
