/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

/**
 * Room in front of an object's fields, so that they share no cache line with the object before it in memory, nor a pair
 * of lines, which the prefetcher fetches together. What one thread writes for each message and what another reads for
 * each message both extend this: two threads that play ping-pong would otherwise fetch lines from each other for
 * nothing. The JVM lays out the fields of a superclass before those of a subclass; the garbage collector likes to put
 * objects beside each other that are made one after the other.
 */
public abstract class Padded {
    /** Fills the word in the middle of which the header ends: the JVM would put a field of a subclass there. */
    @SuppressWarnings("unused")
    private int p;
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

    /** Nothing to set. */
    protected Padded() {
        // The fields are only room.
    }
}
