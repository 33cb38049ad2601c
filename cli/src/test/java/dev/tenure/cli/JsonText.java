// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON strictly, for tests: what this accepts, any reader accepts. Numbers stay texts, null is null. */
public final class JsonText {
    private final String text;
    private int at;

    private JsonText(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(String text) {
        return (Map<String, Object>) parse(text);
    }

    @SuppressWarnings("unchecked")
    public static List<Map<String, Object>> list(Object value) {
        return (List<Map<String, Object>>) value;
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    static Object parse(String text) {
        JsonText json = new JsonText(text.strip());
        Object value = json.value();
        json.check(json.at == json.text.length(), "end");
        return value;
    }

    private Object value() {
        char c = text.charAt(at);
        if (c == '{') {
            return object();
        }
        if (c == '[') {
            return list();
        }
        if (c == '"') {
            return string();
        }
        int from = at;
        while (at < text.length() && "{}[],:\"".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(from, at);
        check(word.matches("null|true|false|-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?"), "a value, not " + word);
        return word.equals("null") ? null : word;
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        take('{');
        while (text.charAt(at) != '}') {
            if (!object.isEmpty()) {
                take(',');
            }
            String key = string();
            take(':');
            check(!object.containsKey(key), "another key than " + key);
            object.put(key, value());
        }
        take('}');
        return object;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        take('[');
        while (text.charAt(at) != ']') {
            if (!list.isEmpty()) {
                take(',');
            }
            list.add(value());
        }
        take(']');
        return list;
    }

    private String string() {
        take('"');
        StringBuilder string = new StringBuilder();
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            check(c >= ' ', "no control character");
            string.append(c == '\\' ? escaped() : c);
        }
        take('"');
        return string.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        if (c == 'u') {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        check("\"\\/bfnrt".indexOf(c) >= 0, "a known escape");
        return "\"\\/\b\f\n\r\t".charAt("\"\\/bfnrt".indexOf(c));
    }

    private void take(char wanted) {
        check(text.charAt(at) == wanted, "'" + wanted + "'");
        at++;
    }

    private void check(boolean right, String wanted) {
        if (!right) {
            throw new AssertionError("expected " + wanted + " at " + at + " of " + text);
        }
    }
}
