/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What could not be read. A file full of nonsense has no end of it, so this has one, until they are taken. */
final class LiveTroubles {
    private static final int MAX = 100;

    private final Set<String> texts = new LinkedHashSet<>();

    void add(final String format, final Object... args) {
        if (texts.size() < MAX) {
            texts.add(String.format(Locale.ROOT, format, args));
        }
    }

    List<String> list() {
        return List.copyOf(texts);
    }

    List<String> take() {
        final List<String> taken = list();
        texts.clear();
        return taken;
    }
}
