/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

/** What sections have in common that are compared with each other. */
public final class Sizes {
    /** Bytes of a message, in all sections that do not say otherwise; the C program has it too. */
    public static final int MESSAGE = 64;

    private Sizes() {
    }
}
