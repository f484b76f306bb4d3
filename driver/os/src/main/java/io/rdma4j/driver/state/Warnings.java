/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.state;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Logs each warning once: the same trouble need not be told with each device. Thread-safe. */
public final class Warnings {
    private final System.Logger log;
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /**
     * A logger of the package.
     *
     * @param of a class of the package.
     */
    public Warnings(final Class<?> of) {
        log = System.getLogger(of.getPackageName());
    }

    /**
     * Logs it, unless it was logged already.
     *
     * @param text the warning.
     */
    public void tell(final String text) {
        if (told.add(text)) {
            log.log(System.Logger.Level.WARNING, text);
        }
    }

    /** From now on each is logged once more; for tests, which share a process. */
    public void forget() {
        told.clear();
    }
}
