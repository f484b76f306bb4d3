/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.FiAddr;

/**
 * What addresses are called. An address is at a place of a store, 0 or more, and each address that a place holds, one
 * after the other, is another life of it, 1 or more. A name of type TABLE is the place. One of type MAP is a handle
 * that says both, behind the vector's base.
 *
 * <pre>
 *  63           31 + lives         31                  0
 *  +-----------------+--------------+------------------+
 *  | receive context |     life     |      place       |
 *  +-----------------+--------------+------------------+
 * </pre>
 *
 * <p>The bit below the receive context is 0, so that names of other kinds can have it.
 */
public final class AvNames {
    /** No store has higher places. */
    static final int MOST_PLACE = Integer.MAX_VALUE - 8;
    private static final int PLACE_BITS = 31;

    private AvNames() {
    }

    /**
     * A place and its life in one number.
     *
     * @param place 0 or more.
     * @param life  1 or more.
     * @return above 0.
     */
    public static long handle(final int place, final int life) {
        return (long) life << PLACE_BITS | place;
    }

    /**
     * The place of a handle.
     *
     * @param handle not negative.
     * @return 0 or more.
     */
    public static int place(final long handle) {
        return (int) handle & Integer.MAX_VALUE;
    }

    /**
     * The life of a handle.
     *
     * @param handle not negative.
     * @return 0 or more.
     */
    public static int life(final long handle) {
        return (int) (handle >>> PLACE_BITS);
    }

    /**
     * The last life that a handle can tell: a place that had it is not used again.
     *
     * @param rxCtxBits bits for receive contexts, 0 to {@link FiAddr#MAX_RX_CTX_BITS}.
     * @return 65535 or more.
     */
    public static int mostLife(final int rxCtxBits) {
        return Integer.MAX_VALUE >>> Math.max(0, rxCtxBits - 1);
    }
}
