/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.benchmarks.harness.SendLines;
import org.agrona.BitUtil;

/** {@link SendLines} of many pairs of queues, as {@link ScalingGroup} has them. */
final class ScalingLines {
    private static final int DEPTH = 16;

    private final SendLines[] pairs;
    private final long[] sent;
    private final SendLines.Queue queue;
    private final ScalingOrder order;
    private long completed;

    ScalingLines(final int count) {
        pairs = new SendLines[count];
        for (int i = 0; i < count; i++) {
            pairs[i] = new SendLines(DEPTH);
        }
        sent = new long[count];
        queue = new SendLines.Queue(BitUtil.findNextPositivePowerOfTwo(2 * count * DEPTH));
        order = new ScalingOrder(count);
    }

    /** One SEND at a time, until both completions are taken and a receive is posted again. */
    void send(final long times, final boolean randomly) {
        for (long n = 0; n < times; n++) {
            final int i = order.next(randomly);
            final SendLines pair = pairs[i];
            final long number = sent[i]++;
            final boolean received = pair.send(number, queue, completed);
            queue.add(completed + 1, number);
            if (!received || pair.message(queue.take(completed)) != number || queue.take(completed + 1) != number) {
                throw new IllegalStateException("message " + number + " of " + i + " is lost");
            }
            completed += 2;
            pair.giveBack(number + 1, 1);
        }
    }
}
