/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.testing;

import java.util.ArrayDeque;
import java.util.Deque;

/** Keeps what was opened, and closes it, the last first. */
public class Keeper implements AutoCloseable {
    final Deque<AutoCloseable> kept = new ArrayDeque<>();

    public final <T extends AutoCloseable> T keep(final T object) {
        kept.push(object);
        return object;
    }

    @Override
    public void close() {
        while (!kept.isEmpty()) {
            try {
                kept.pop().close();
            } catch (final RuntimeException e) {
                throw e;
            } catch (final Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
