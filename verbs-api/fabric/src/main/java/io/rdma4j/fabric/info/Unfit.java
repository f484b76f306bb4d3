/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import java.util.Locale;

/** A device does not fit some hints; the message is the rest of a sentence that begins with the device. */
final class Unfit extends Exception {
    private static final long serialVersionUID = 1L;

    Unfit(final String format, final Object... values) {
        super(String.format(Locale.ROOT, format, values), null, false, false);
    }
}
