// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the secrets of a store URL are. The forms:
 *
 * <pre>
 *   etcd://user:SECRET@host:2379,host:2379/folder?password=SECRET
 *   peers://a:SECRET@h1:7001,b:SECRET@h2:7001
 *   jdbc:mariadb://user:SECRET@host/db?password=SECRET
 *   jdbc:mysql://address=(host=h)(password=SECRET)/db
 *   jdbc:h2:mem:x;PASSWORD=SECRET
 *   jdbc:sqlserver://host;password={SE;CRET}
 *   jdbc:oracle:thin:user/SECRET@host
 *   user:SECRET@host
 * </pre>
 *
 * <p>What a person typed need not be well-formed: a password may contain an {@code @}, {@code /}, {@code ?} or {@code ;} that
 * should have been encoded. Then everything up to the last {@code @} counts as secret, whole and in its parts.
 */
final class SecretsInUrl {
    private static final int PART_LENGTH_MIN = 4;
    private static final Set<String> SWITCHES = Set.of("true", "false");

    private static final Pattern SLASHES = Pattern.compile("(?:^|:)//");
    private static final Pattern DRIVER = Pattern.compile("jdbc:(?:[A-Za-z0-9+.-]+:(?:thin:|oci8?:)?)?");
    private static final Pattern HOST = Pattern.compile("(?:\\[[0-9A-Fa-f:.%]+\\]|[^\\s:@/]*)(?::[0-9]{1,5})?");
    private static final Pattern MEMBER = Pattern.compile("([^:@/?;]*)(:[^:@/?;]*)?(?:@(" + HOST.pattern() + "))?");
    private static final Pattern SEPARATOR = Pattern.compile("[:/]");
    private static final Pattern DELIMITERS = Pattern.compile("[\\s:@/,?;&=#(){}\"]+");
    private static final Pattern NAME = Pattern.compile("([^?&;:,/(){}\\s=@]+)\\s*=\\s*");
    private static final Pattern SETTINGS =
            Pattern.compile("(?:[?&;]\\s*[^=&;]+=(?:\\{[^}]*+(?:\\}\\}[^}]*+)*+\\}|[^&;{]*))*[&;]?");
    private static final Pattern SECRET_NAME = Pattern.compile(
            ".*(?:password|passwd|passphrase|pwd|secret|credential|token|apikey|accesskey|privatekey).*");
    /** Names of what holds a secret, or tells how it is handled. */
    private static final Pattern NOT_THE_SECRET = Pattern.compile(".*(?:file|path|encoding|callback|type)");

    private final String url;
    private final Set<String> found = new LinkedHashSet<>();
    private final String shown;

    private SecretsInUrl(String url) {
        this.url = url;
        this.shown = url.startsWith("local:") ? withoutOptions(url) : withoutUsers();
        addAssigned();
    }

    static SecretsInUrl of(String url) {
        return new SecretsInUrl(url);
    }

    static Set<String> ofOptions(Map<String, String> options) {
        SecretsInUrl secrets = new SecretsInUrl("");
        options.forEach((name, value) -> {
            if (saysSecret(name)) {
                secrets.add(value, true);
            }
        });
        return secrets.found;
    }

    /** As they are written, decoded and encoded, and in parts. */
    Set<String> found() {
        return found;
    }

    /** Without secrets and options. */
    String shown() {
        return shown;
    }

    /** Does an option of this name hold a secret itself? */
    static boolean saysSecret(String name) {
        String letters = decoded(name).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
        return SECRET_NAME.matcher(letters).matches()
                && !NOT_THE_SECRET.matcher(letters).matches();
    }

    /** Is this, in a sentence, the name of a secret? A token there is one that Tenure issues. */
    static boolean saysSecretInText(String name) {
        return saysSecret(name) && !name.toLowerCase(Locale.ROOT).contains("token");
    }

    private String withoutUsers() {
        int firstAt = url.indexOf('@');
        Matcher slashes = SLASHES.matcher(url);
        boolean slashed = slashes.find() && (firstAt < 0 || slashes.end() <= firstAt);
        Matcher driver = DRIVER.matcher(url);
        int from = slashed ? slashes.end() : driver.lookingAt() ? driver.end() : 0;
        int at = userInfoEnd(from);
        if (at < from) {
            String place = url.substring(from, Math.max(from, optionsOf(url)));
            return slashed && !isHosts(place) ? url.substring(0, from) + hiddenPort(place) : withoutOptions(url);
        }
        String users = url.substring(from, at);
        String place = withoutOptions(url.substring(at));
        return url.substring(0, from) + (slashed ? hiddenMembers(users) : hiddenLogin(users, from > 0)) + place;
    }

    /** The last {@code @} before the options; or the last of all, if what looks like options must belong to a password. */
    private int userInfoEnd(int from) {
        int options = optionsOf(url);
        int end = url.lastIndexOf('@', options - 1);
        if (end >= from) {
            return end;
        }
        boolean optional = isHosts(url.substring(from, Math.max(from, options)))
                && SETTINGS.matcher(url.substring(options)).matches();
        return optional ? -1 : url.lastIndexOf('@');
    }

    private static boolean isHosts(String place) {
        int path = place.indexOf('/');
        String hosts = path < 0 ? place : place.substring(0, path);
        for (String host : hosts.split(",", -1)) {
            if (!HOST.matcher(host).matches()) {
                return false;
            }
        }
        return true;
    }

    /** What should be a port, and is no number, may be the password of a URL without a host. */
    private String hiddenPort(String place) {
        addRest(place, true);
        int colon = place.indexOf(':');
        return (colon < 0 ? "" : place.substring(0, colon + 1)) + Redactor.HIDDEN;
    }

    /** @param users {@code user:SECRET@host,user:SECRET}, up to the last {@code @} */
    private String hiddenMembers(String users) {
        StringJoiner hidden = new StringJoiner(",");
        String[] members = users.split(",", -1);
        for (int i = 0; i < members.length; i++) {
            boolean last = i == members.length - 1;
            Matcher member = MEMBER.matcher(members[i]);
            // A host alone before a user may also be the beginning of a password with a comma.
            if (!member.matches() || last != (member.group(3) == null)) {
                addRest(users, !isHosts(users) || !users.contains("/"));
                return Redactor.HIDDEN;
            }
            if (member.group(2) == null) {
                hidden.add(members[i]);
            } else {
                add(member.group(2).substring(1), true);
                String host = member.group(3) == null ? "" : "@" + member.group(3);
                hidden.add(member.group(1) + ":" + Redactor.HIDDEN + host);
            }
        }
        return hidden.toString();
    }

    private void addRest(String users, boolean inParts) {
        int from = users.indexOf(':');
        if (from >= 0) {
            add(users.substring(from + 1), inParts);
        }
    }

    /** @param login {@code user:SECRET} or {@code user/SECRET}, where no slashes stand before it */
    private String hiddenLogin(String login, boolean afterDriver) {
        Matcher separator = SEPARATOR.matcher(login);
        boolean separated = separator.find();
        if (separated || afterDriver) {
            add(separated ? login.substring(separator.end()) : login, true);
        }
        boolean hasUser = separated && !afterDriver;
        return (hasUser ? login.substring(0, separator.end()) : "") + Redactor.HIDDEN;
    }

    private void addAssigned() {
        Matcher name = NAME.matcher(url);
        while (name.find()) {
            if (saysSecret(name.group(1))) {
                add(url.substring(name.end(), valueEnd(url, name)), true);
            }
        }
    }

    /** Of the place alone, in which MySQL has {@code (password=SECRET)}, and Db2 {@code :password=SECRET;}. */
    private String withoutOptions(String text) {
        String place = text.substring(0, optionsOf(text));
        StringBuilder hidden = new StringBuilder();
        int told = 0;
        Matcher name = NAME.matcher(place);
        while (name.find()) {
            if (saysSecret(name.group(1)) && name.start() >= told) {
                hidden.append(place, told, name.end()).append(Redactor.HIDDEN);
                told = valueEnd(place, name);
            }
        }
        return hidden.append(place, told, place.length()).toString();
    }

    /** Drivers begin their settings with a semicolon as well. */
    private int optionsOf(String text) {
        int query = text.indexOf('?');
        int settings = url.startsWith("jdbc:") ? text.indexOf(';') : -1;
        int first = query < 0 || settings < 0 ? Math.max(query, settings) : Math.min(query, settings);
        return first < 0 ? text.length() : first;
    }

    private static int valueEnd(String text, Matcher name) {
        int from = name.end();
        int query = text.indexOf('?');
        String ends;
        if (text.startsWith("{", from)) {
            Matcher quoted = Pattern.compile("\\{[^}]*+(?:\\}\\}[^}]*+)*+\\}").matcher(text);
            return quoted.find(from) && quoted.start() == from ? quoted.end() : text.length();
        } else if (query >= 0 && query < from) {
            ends = "&";
        } else {
            ends = name.start() > 0 && text.charAt(name.start() - 1) == '(' ? ")" : ";?";
        }
        int end = from;
        while (end < text.length() && ends.indexOf(text.charAt(end)) < 0) {
            end++;
        }
        return end;
    }

    private void add(String secret, boolean inParts) {
        if (SWITCHES.contains(secret)) {
            return;
        }
        String decoded = decoded(secret);
        String encoded = URLEncoder.encode(decoded, StandardCharsets.UTF_8);
        for (String form : new String[] {secret, decoded, encoded, encoded.replace("+", "%20"), unquoted(secret)}) {
            found.add(form);
        }
        if (inParts) {
            for (String part : DELIMITERS.split(secret + " " + decoded)) {
                if (part.length() >= PART_LENGTH_MIN) {
                    found.add(part);
                }
            }
        }
    }

    /** SQL Server's {@code {a}}b}} is {@code a}b}. */
    private static String unquoted(String secret) {
        boolean quoted = secret.startsWith("{") && secret.endsWith("}") && secret.length() > 1;
        return quoted ? secret.substring(1, secret.length() - 1).replace("}}", "}") : secret;
    }

    /** As far as it can be. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return text;
        }
    }
}
