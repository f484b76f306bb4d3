/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress.device;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/** A queue pair that is connected with itself, two words of memory, and what completed. All share one device. */
final class Loop {
    private static final RdmaContext DEVICE = RdmaDevices.open("emulated:stress?max_qp=65535&max_cq=65536");
    private static final ProtectionDomain PD = DEVICE.allocatePd();
    private static final int PLACES = 1 << 15;
    /** Two cache lines: one is read, the other is written. */
    private static final int PLACE_LENGTH = 128;
    private static final PinnedMemory MEMORY = DEVICE.allocate((long) PLACES * PLACE_LENGTH);
    private static final UnsafeBuffer WORDS = MEMORY.buffer();
    private static final MemoryRegion ALL = PD.register(MEMORY, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final int MOST = 8;

    final QueuePair qp;
    private final CompletionQueue cq = DEVICE.createCq(2 * MOST);
    private final int place = (NEXT.getAndIncrement() & (PLACES - 1)) * PLACE_LENGTH;
    private final int[] times = new int[MOST];
    private WcStatus last;
    private boolean inOrder = true;
    private long lastWrId = -1;

    Loop() {
        WORDS.putLong(place, 0);
        WORDS.putLong(place + PLACE_LENGTH / 2, 0);
        qp = PD.createQp(new QpOptions().cq(cq).maxSendWr(MOST).maxReceiveWr(1));
        QpConnector.connect(qp, qp.localAddress(),
            new QpAttributes().accessFlags(AccessFlag.REMOTE_WRITE));
    }

    /** A region of the word that is read. */
    MemoryRegion registerSource() {
        return PD.register(MEMORY.address() + place, Long.BYTES);
    }

    /** A region of the word that is written. */
    MemoryRegion registerTarget() {
        return PD.register(MEMORY.address() + place + PLACE_LENGTH / 2, Long.BYTES, AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE);
    }

    static int lkey() {
        return ALL.lkey();
    }

    static int rkey() {
        return ALL.rkey();
    }

    /** Writes the source over the target. */
    SendRequest write(final int number, final int lkey, final int rkey) {
        return new SendRequest().wrId(number).opcode(SendOpcode.RDMA_WRITE)
            .sge(MEMORY.address() + place, Long.BYTES, lkey)
            .remote(MEMORY.address() + place + PLACE_LENGTH / 2, rkey);
    }

    void source(final long value) {
        WORDS.putLongVolatile(place, value);
    }

    long target() {
        return WORDS.getLongVolatile(place + PLACE_LENGTH / 2);
    }

    void toError() {
        qp.modify(QpAttributes.to(QpState.ERR));
    }

    /** Polls until nothing comes any more; how many came. */
    int poll() {
        int sum = 0;
        int polled;
        do {
            polled = cq.poll(completion -> {
                note(completion.wrId(), completion.status());
            }, MOST);
            sum += polled;
        } while (polled > 0);
        return polled < 0 ? polled : sum;
    }

    private void note(final long wrId, final WcStatus status) {
        times[(int) wrId]++;
        // Nothing succeeds after something that did not.
        inOrder &= wrId > lastWrId && (last == null || last == WcStatus.SUCCESS || status != WcStatus.SUCCESS);
        lastWrId = wrId;
        last = status;
    }

    /** How often a request completed; a large number if some completed in a wrong order. */
    int times(final int number) {
        return inOrder ? times[number] : 1_000;
    }

    /** How the last one completed. */
    WcStatus last() {
        return last;
    }

    /** Whether the device still works, and nobody made up a completion. */
    boolean close() {
        final boolean well = !DEVICE.isFailed() && cq.dropped() == 0;
        qp.close();
        cq.close();
        return well;
    }
}
