/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import java.util.Collection;
import java.util.function.Consumer;

/** Doing something with several things, mostly giving them back, of which each may object. */
final class Closing {
    private Closing() {
    }

    /**
     * Closes all of them.
     *
     * @throws RuntimeException the first refusal, with others suppressed; everything that can be closed is.
     */
    static <T> void all(final Collection<T> things, final Consumer<T> close) {
        RuntimeException refusal = null;
        for (final T thing : things) {
            try {
                close.accept(thing);
            } catch (final RuntimeException e) {
                if (refusal == null) {
                    refusal = e;
                } else {
                    refusal.addSuppressed(e);
                }
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }
}
