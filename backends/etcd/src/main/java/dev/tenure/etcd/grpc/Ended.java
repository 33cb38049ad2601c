package dev.tenure.etcd.grpc;

import java.io.IOException;
import java.util.Map;

/** The server ended a stream by itself, and said why; with code 0 there was no fault. */
public final class Ended extends IOException {
    private static final long serialVersionUID = 1L;
    private static final String HTTP_OK = "200";
    private static final int UNKNOWN = 2;

    private final int code;
    private final String said;

    private Ended(int code, String said) {
        super("the server ended the stream" + (said.isEmpty() ? "" : ": " + said));
        this.code = code;
        this.said = said;
    }

    /** @param headers the last that came */
    static Ended with(Map<String, String> headers) {
        String code = headers.getOrDefault("grpc-status", "");
        if (code.isEmpty()) {
            String status = headers.getOrDefault(":status", HTTP_OK);
            return new Ended(UNKNOWN, status.equals(HTTP_OK) ? "without a word" : "HTTP status " + status);
        }
        String said = percentDecoded(headers.getOrDefault("grpc-message", ""));
        try {
            return new Ended(Integer.parseInt(code), said);
        } catch (NumberFormatException foreign) {
            return new Ended(UNKNOWN, said);
        }
    }

    /** Of gRPC. */
    public int code() {
        return code;
    }

    public String said() {
        return said;
    }

    private static String percentDecoded(String text) {
        StringBuilder decoded = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            boolean isCode = text.charAt(i) == '%' && i + 2 < text.length();
            int high = isCode ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = isCode ? Character.digit(text.charAt(i + 2), 16) : -1;
            if (high >= 0 && low >= 0) {
                decoded.append((char) ((high << 4) | low));
                i += 2;
            } else {
                decoded.append(text.charAt(i));
            }
        }
        return decoded.toString();
    }
}
