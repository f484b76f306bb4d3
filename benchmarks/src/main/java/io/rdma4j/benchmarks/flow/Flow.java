/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

/**
 * One way to bring many messages from one place to another. Messages are numbered; the number stands in the last eight
 * bytes of each, and who takes them looks at it.
 */
interface Flow extends AutoCloseable {
    /** One thread: brings so many on their way, and waits until they are no longer its own concern. */
    void produce(long count);

    /** The other thread: takes as many; nothing if the first thread does it all. */
    void consume(long count);

    @Override
    void close();

    /** What a flow is made of: messages of one length, in so many places in turn, a power of two. */
    record Shape(int length, int slots, int batch) {
        public Shape {
            if (Integer.bitCount(slots) != 1 || slots % batch != 0 || slots < 4 || length < Long.BYTES) {
                throw new IllegalArgumentException(slots + " slots of " + length + " bytes in batches of " + batch);
            }
        }

        int bytes() {
            return slots * length;
        }

        int slot(final long n) {
            return (int) n & slots - 1;
        }

        int offset(final long n) {
            return slot(n) * length;
        }

        /** Where the number of message n is. */
        int mark(final long n) {
            return offset(n) + length - Long.BYTES;
        }
    }
}
