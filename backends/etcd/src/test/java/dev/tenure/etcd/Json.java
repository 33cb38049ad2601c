// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import java.util.ArrayList;
import java.util.List;

/**
 * What etcd's JSON gateway answered: another way to the store than the one that is tested. A field that is missing is its zero
 * value.
 */
final class Json {
    static final Json EMPTY = new Json(new Fields(List.of(), List.of()));
    private static final int DEPTH_MAX = 64;

    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    /** @throws IllegalArgumentException if it is not JSON */
    static Json parse(String text) {
        Reader reader = new Reader(text);
        Object value = reader.value(0);
        reader.end();
        return new Json(value);
    }

    /** A text as JSON, in its quotes. */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append("\\u00").append(c < 16 ? "0" : "1").append(Character.forDigit(c & 15, 16));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** Answers have thousands of objects with a handful of fields each: a search is cheaper than a table. */
    private record Fields(List<String> names, List<Object> values) {}

    private Object field(String name) {
        int at = value instanceof Fields fields ? fields.names.indexOf(name) : -1;
        return at < 0 ? "" : ((Fields) value).values.get(at);
    }

    boolean has(String name) {
        return value instanceof Fields fields && fields.names.contains(name);
    }

    Json at(String name) {
        return has(name) ? new Json(field(name)) : EMPTY;
    }

    List<Json> list(String name) {
        List<Json> items = new ArrayList<>();
        if (field(name) instanceof List<?> list) {
            list.forEach(item -> items.add(new Json(item)));
        }
        return items;
    }

    /** A text, a number as text, or an empty text. */
    String text(String name) {
        return field(name) instanceof String text ? text : "";
    }

    /** 64-bit numbers travel as texts. */
    long number(String name) {
        String text = text(name);
        try {
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (NumberFormatException notWhole) {
            throw new IllegalArgumentException("'" + name + "' is not a whole number: " + text, notWhole);
        }
    }

    boolean flag(String name) {
        return field(name) instanceof Boolean flag && flag;
    }

    /** Texts and numbers become String, because the gateway uses both for numbers; null is as good as missing. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        Object value(int depth) {
            if (depth > DEPTH_MAX) {
                throw broken("nested too deeply");
            }
            char c = peek();
            return switch (c) {
                case '{' -> object(depth);
                case '[' -> array(depth);
                case '"' -> string();
                case 't' -> word("true", true);
                case 'f' -> word("false", false);
                case 'n' -> word("null", "");
                default -> number();
            };
        }

        void end() {
            skipSpace();
            if (at < text.length()) {
                throw broken("something follows its end");
            }
        }

        private Object object(int depth) {
            Fields fields = new Fields(new ArrayList<>(4), new ArrayList<>(4));
            at++;
            while (peek() != '}') {
                String name = string();
                expect(':');
                fields.names.add(name);
                fields.values.add(value(depth + 1));
                if (peek() == ',') {
                    at++;
                } else if (peek() != '}') {
                    throw broken("expected , or }");
                }
            }
            at++;
            return fields;
        }

        private Object array(int depth) {
            List<Object> items = new ArrayList<>();
            at++;
            while (peek() != ']') {
                items.add(value(depth + 1));
                if (peek() == ',') {
                    at++;
                } else if (peek() != ']') {
                    throw broken("expected , or ]");
                }
            }
            at++;
            return items;
        }

        private String string() {
            expect('"');
            int from = at;
            while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
                at++;
            }
            if (at < text.length() && text.charAt(at) == '"') {
                return text.substring(from, at++);
            }
            StringBuilder string = new StringBuilder().append(text, from, at);
            while (true) {
                char c = next();
                if (c == '"') {
                    return string.toString();
                }
                string.append(c == '\\' ? escaped() : c);
            }
        }

        private char escaped() {
            char c = next();
            return switch (c) {
                case 'n' -> '\n';
                case 't' -> '\t';
                case 'r' -> '\r';
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'u' -> {
                    at += 4;
                    if (at > text.length()) {
                        throw broken("cut off");
                    }
                    yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
                }
                default -> c;
            };
        }

        private Object number() {
            int from = at;
            while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            if (from == at) {
                throw broken("unexpected '" + text.charAt(at) + "'");
            }
            return text.substring(from, at);
        }

        private Object word(String word, Object meaning) {
            if (!text.startsWith(word, at)) {
                throw broken("unknown word");
            }
            at += word.length();
            return meaning;
        }

        private void expect(char c) {
            if (peek() != c) {
                throw broken("expected " + c);
            }
            at++;
        }

        private char peek() {
            skipSpace();
            if (at >= text.length()) {
                throw broken("cut off");
            }
            return text.charAt(at);
        }

        private char next() {
            if (at >= text.length()) {
                throw broken("cut off");
            }
            return text.charAt(at++);
        }

        private void skipSpace() {
            while (at < text.length() && text.charAt(at) <= ' ') {
                at++;
            }
        }

        private IllegalArgumentException broken(String problem) {
            return new IllegalArgumentException("not JSON at character " + at + ": " + problem);
        }
    }
}
