/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/** What users set. */
final class LiveSettings {
    static final String PROPERTY = "rdma4j.live";
    static final String VARIABLE = "RDMA4J_LIVE";
    static final String OBJECTS = "rdma4j.live.objects";

    /** A word that means it is not to publish after all what somebody wanted to keep. */
    private static final Set<String> OFF = Set.of("off", "false", "no", "0");

    private LiveSettings() {
    }

    static boolean isOff() {
        final String word = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        return word != null && OFF.contains(word.trim().toLowerCase(Locale.ROOT));
    }

    static String whatSwitches() {
        return System.getProperty(PROPERTY) == null ? VARIABLE : "-D" + PROPERTY;
    }

    /** Places for objects; what is no such number is told, and not used. */
    static int objects(final Consumer<String> warning) {
        final String text = System.getProperty(OBJECTS);
        if (text == null) {
            return LiveLayout.DEFAULT_OBJECTS;
        }
        try {
            final int number = Integer.parseInt(text.trim());
            if (number >= 1 && number <= LiveLayout.MAX_OBJECTS) {
                return number;
            }
        } catch (final NumberFormatException ignored) {
            // Told below together with a number that is out of range.
        }
        warning.accept(String.format("-D%s=%s is no number from 1 to %d; %d is used", OBJECTS, text,
            LiveLayout.MAX_OBJECTS, LiveLayout.DEFAULT_OBJECTS));
        return LiveLayout.DEFAULT_OBJECTS;
    }
}
