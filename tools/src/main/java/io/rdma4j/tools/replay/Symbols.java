/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.pvrdma.cmd.Command;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The names of a script: what they stand for on this device, and back. */
final class Symbols {
    private final Map<String, Made> live = new LinkedHashMap<>();
    private final Map<String, Made> all = new LinkedHashMap<>();
    private final Map<String, String> variables;

    Symbols(final Map<String, String> variables) {
        this.variables = Map.copyOf(variables);
    }

    void add(final Made made) {
        live.put(made.name(), made);
        all.put(made.name(), made);
    }

    void remove(final Made made) {
        live.remove(made.name());
    }

    /** What is left, the youngest first. */
    List<Made> leftOvers() {
        final List<Made> left = new ArrayList<>(live.values());
        Collections.reverse(left);
        return left;
    }

    Made get(final String name) {
        final Made made = all.get(name);
        if (made == null) {
            throw new UnknownNameException(name, all.keySet());
        }
        return made;
    }

    boolean isLive(final Made made) {
        return live.get(made.name()) == made;
    }

    boolean has(final String name) {
        return all.containsKey(name);
    }

    /** Replaces a variable by its value. */
    String expand(final String text) {
        if (!text.startsWith("$")) {
            return text;
        }
        final String value = variables.get(text.substring(1));
        if (value == null) {
            throw new IllegalArgumentException("no variable " + text + "; there are " + variables.keySet());
        }
        return value;
    }

    /** A number: in figures, a name's handle, one of a name's other numbers, or several of these or-ed. */
    long number(final String text) {
        long number = 0;
        for (final String part : expand(text).split("\\|")) {
            number |= one(expand(part));
        }
        return number;
    }

    private long one(final String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("a number or a name is missing");
        }
        if (Character.isDigit(text.charAt(0))) {
            return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16)
                : Long.parseUnsignedLong(text);
        }
        final int dot = text.indexOf('.');
        final Made made = get(dot < 0 ? text : text.substring(0, dot));
        final Long number = made.numbers().get(dot < 0 ? "handle" : text.substring(dot + 1));
        if (number == null) {
            throw new IllegalArgumentException(text + " has no number; " + made.name() + " has " + made.numbers());
        }
        return number;
    }

    /** The script's name for a device's number; the number itself if it means nothing. */
    String name(final Command maker, final String which, final long number) {
        for (final Made made : live.values()) {
            if (made.command() == maker && made.numbers().getOrDefault(which, -1L) == number) {
                return which.equals("handle") ? made.name() : made.name() + "." + which;
            }
        }
        return FieldText.hex(number);
    }
}
