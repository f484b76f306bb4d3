/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_READ;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WrOpcode;

import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Two queue pairs of one device, not yet connected, each with a CQ, and a region for either to send from or into. */
public final class RawPair implements AutoCloseable {
    public static final int ALL = PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_REMOTE_WRITE | PVRDMA_ACCESS_REMOTE_READ
        | PVRDMA_ACCESS_REMOTE_ATOMIC;
    public static final int SIZE = 10_000;

    private static final Pattern SHORTENED = Pattern.compile("(-?\\d+) the short way");

    public final RawDriver driver;
    public final RawCq cqA;
    public final RawCq cqB;
    public final RawQp a;
    public final RawQp b;
    public final RawRegion from;
    public final RawRegion to;

    private RawPair(String address, boolean datagrams) {
        driver = RawDriver.ready(address);
        cqA = driver.createCq(64);
        cqB = driver.createCq(64);
        a = driver.createQp(datagrams ? RawQp.with().ud().cq(cqA) : RawQp.with().cq(cqA));
        b = driver.createQp(datagrams ? RawQp.with().ud().cq(cqB) : RawQp.with().cq(cqB));
        from = driver.register(driver.pd, SIZE, 123, ALL);
        // A device that takes whole pages only refuses a region that touches one page more than its length has.
        to = driver.register(driver.pd, SIZE, driver.device().options().has(Quirk.WHOLE_PAGES) ? 77 : 3999, ALL);
        from.fill(1);
    }

    public static RawPair unconnected(String address) {
        return new RawPair(address, false);
    }

    public static RawPair connected(String address) {
        final RawPair pair = new RawPair(address, false);
        RawQp.connect(pair.a, pair.b);
        return pair;
    }

    public static RawPair datagrams(String address) {
        final RawPair pair = new RawPair(address, true);
        RawQp.connect(pair.a, pair.b);
        return pair;
    }

    /** Posts a request of side A and returns the status of its completion. */
    public int run(Consumer<RawQp.Wqe> request) {
        a.post(request);
        return cqA.await().status();
    }

    /** A WRITE of the beginning of {@link #from}; returns its status. */
    public int write(long remote, int length, int rkey) {
        return run(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED).rdma(remote, rkey)
            .sge(from.start(), length, from.lkey));
    }

    /** Takes a connection that failed through RESET to RTS again; what was not polled is thrown away. */
    public void restart() {
        for (RawQp qp : new RawQp[] {a, b}) {
            if (qp.modifyState(QpState.PVRDMA_QPS_RESET) != 0) {
                throw new AssertionError(driver.device().describe());
            }
            qp.zeroIndices();
        }
        while (cqA.poll() != null || cqB.poll() != null) {
            Thread.onSpinWait();
        }
        RawQp.connect(a, b);
    }

    /** How many requests of all queue pairs took the short way. */
    public long shortened() {
        return SHORTENED.matcher(driver.device().describe()).results()
            .mapToLong(found -> Long.parseLong(found.group(1))).sum();
    }

    public long count(Counter counter) {
        return driver.device().counters().get(counter);
    }

    @Override
    public void close() {
        final long internal = count(Counter.INTERNAL_ERRORS);
        final String state = internal == 0 ? "" : driver.device().describe();
        driver.close();
        if (internal != 0) {
            throw new AssertionError(state);
        }
    }
}
