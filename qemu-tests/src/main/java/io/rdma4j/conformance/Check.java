/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.ReturnCode;

import java.util.Locale;
import java.util.Objects;

/** Assertions that say what was seen. */
final class Check {
    private Check() {
    }

    static void that(final boolean condition, final String message, final Object... args) {
        if (!condition) {
            throw new AssertionError(args.length == 0 ? message : String.format(Locale.ROOT, message, args));
        }
    }

    static void equal(final Object expected, final Object actual, final String what, final Object... args) {
        if (!Objects.equals(expected, actual)) {
            final String name = args.length == 0 ? what : String.format(Locale.ROOT, what, args);
            throw new AssertionError(name + ": expected " + expected + ", was " + actual);
        }
    }

    static void ok(final int code, final String what) {
        code(ReturnCode.OK, code, what);
    }

    static void code(final int expected, final int actual, final String what) {
        if (expected != actual) {
            throw new AssertionError(what + ": expected " + ReturnCode.nameOf(expected) + ", was "
                + ReturnCode.nameOf(actual) + " (" + actual + ")");
        }
    }

    /** The call is refused with this errno, by a message that a person can act on: it contains each of the words. */
    static RdmaException refused(final int errno, final Runnable call, final String what, final String... words) {
        try {
            call.run();
        } catch (final RdmaException e) {
            equal(RdmaException.errnoName(errno), RdmaException.errnoName(e.errno()), "%s refused by '%s': errno", what,
                e.getMessage());
            for (final String word : words) {
                that(e.getMessage().toLowerCase(Locale.ROOT).contains(word.toLowerCase(Locale.ROOT)),
                    "%s is refused, but the message does not mention '%s': %s", what, word, e.getMessage());
            }
            return e;
        }
        throw new AssertionError(what + ": was not refused");
    }
}
