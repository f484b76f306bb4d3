/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/** Room in front of what a polling thread writes; {@link PollerFields} says why. */
abstract class Padded {
    @SuppressWarnings("unused")
    private long p0;
    @SuppressWarnings("unused")
    private long p1;
    @SuppressWarnings("unused")
    private long p2;
    @SuppressWarnings("unused")
    private long p3;
    @SuppressWarnings("unused")
    private long p4;
    @SuppressWarnings("unused")
    private long p5;
    @SuppressWarnings("unused")
    private long p6;
    @SuppressWarnings("unused")
    private long p7;
    @SuppressWarnings("unused")
    private long p8;
    @SuppressWarnings("unused")
    private long p9;
    @SuppressWarnings("unused")
    private long p10;
    @SuppressWarnings("unused")
    private long p11;
    @SuppressWarnings("unused")
    private long p12;
    @SuppressWarnings("unused")
    private long p13;
    @SuppressWarnings("unused")
    private long p14;
}
