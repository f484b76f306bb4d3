/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import com.sun.jna.NativeLibrary;
import java.util.BitSet;

/** Which processor a thread runs on (sched_setaffinity(2)). */
final class Processors {
    /** Bytes of a cpu_set_t. */
    private static final int SET = 128;
    private static final BitSet ALLOWED = allowed();

    private Processors() {
    }

    private static BitSet allowed() {
        final byte[] set = new byte[SET];
        return call("sched_getaffinity", set) == 0 ? BitSet.valueOf(set) : new BitSet();
    }

    private static int call(final String function, final byte[] set) {
        return NativeLibrary.getInstance("c").getFunction(function).invokeInt(new Object[] {0, (long) SET, set});
    }

    /** Keeps the current thread on one of those that the process may use, counted from 0, if the system allows it. */
    static void stayOn(final int index) {
        int processor = ALLOWED.nextSetBit(0);
        for (int i = 0; i < index && processor >= 0; i++) {
            processor = ALLOWED.nextSetBit(processor + 1);
        }
        if (processor >= 0) {
            final BitSet one = new BitSet();
            one.set(processor);
            final byte[] set = new byte[SET];
            final byte[] bits = one.toByteArray();
            System.arraycopy(bits, 0, set, 0, bits.length);
            call("sched_setaffinity", set);
        }
    }
}
