/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

/* See RingCursors.java for the reason of the padding. */

/** Keeps the object before this one in the heap away. */
abstract class PaddingBeforeConsumer {
    long p00;
    long p01;
    long p02;
    long p03;
    long p04;
    long p05;
    long p06;
    long p07;
    long p08;
    long p09;
    long p10;
    long p11;
    long p12;
    long p13;
    long p14;
}

/** What the polling thread writes. */
abstract class ConsumerFields extends PaddingBeforeConsumer {
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
