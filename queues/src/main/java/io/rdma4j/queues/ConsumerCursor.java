/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

/* See RingCursors.java for the reason of the padding. */

/** What the polling thread writes. */
abstract class ConsumerFields extends Padded {
    /** Consumer index; memory has only a copy. */
    int head;
    /** Elements from the head on that are known to be there. */
    int ready;
}

/** The padded cursor of a ring that the driver consumes from. */
abstract class ConsumerCursor extends ConsumerFields {
    long p20;
    long p21;
    long p22;
    long p23;
    long p24;
    long p25;
    long p26;
    long p27;
    long p28;
    long p29;
    long p30;
    long p31;
    long p32;
    long p33;
    long p34;
}
