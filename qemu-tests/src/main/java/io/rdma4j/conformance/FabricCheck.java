/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.Locale;

/** Assertions about what the fabric interfaces answer. */
final class FabricCheck {
    private FabricCheck() {
    }

    /** The call of the data path returned this: 0, or an errno that is given here as in {@link FiErrno}. */
    static void code(final int errno, final int actual, final String what) {
        Check.that(actual == -errno, "%s: expected %s, was %s (%d)", what, FiErrno.name(errno), FiErrno.name(actual),
            actual);
    }

    /** The call is refused with this errno, by a message that a person can act on: it contains each of the words. */
    static FabricException refused(final int errno, final Runnable call, final String what, final String... words) {
        try {
            call.run();
        } catch (final FabricException e) {
            Check.equal(FiErrno.name(errno), FiErrno.name(e.errno()), "%s refused by '%s': errno", what,
                e.getMessage());
            for (final String word : words) {
                Check.that(e.getMessage().toLowerCase(Locale.ROOT).contains(word.toLowerCase(Locale.ROOT)),
                    "%s is refused, but the message does not mention '%s': %s", what, word, e.getMessage());
            }
            return e;
        }
        throw new AssertionError(what + ": was not refused");
    }
}
