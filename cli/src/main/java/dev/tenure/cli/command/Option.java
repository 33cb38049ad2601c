// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

/**
 * One option of a verb.
 *
 * @param name with its dashes
 * @param value what stands for its value in the help, or nothing if it takes none
 * @param variable the environment variable that stands in when the option is not given, or nothing
 */
public record Option(String name, String value, String variable, String help) {
    public static final Option HELP = flag("--help", "show this");
    public static final Option JSON = flag("--json", "one JSON object, for programs");

    public static Option flag(String name, String help) {
        return new Option(name, "", "", help);
    }

    public static Option value(String name, String value, String help) {
        return new Option(name, value, "", help);
    }

    /** The same option, with a variable of the environment behind it. */
    public Option or(String environmentVariable) {
        return new Option(name, value, environmentVariable, help);
    }

    public boolean isFlag() {
        return value.isEmpty();
    }

    String spelling() {
        return isFlag() ? name : name + " " + value;
    }

    String explanation() {
        return variable.isEmpty() ? help : help + " [" + variable + "]";
    }
}
