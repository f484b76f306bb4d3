/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.wire.Gid;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.Loopback;
import io.rdma4j.testing.Patience;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The data path makes no garbage. */
class AllocationTest {
    private static final int MEASURED = 20_000;
    private static final int ROUNDS = 100;
    private static final int MESSAGES = 400;
    /** 4 s, and as often as there is: a thread that has no processor for a while is no loss. */
    private static final int PATIENT_TIMEOUT = 20;
    private static final int PATIENT_RETRIES = 7;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void sendsWithoutAllocating() {
        try (RawPair pair = RawPair.connected("emulated:alloc")) {
            assertNothing(() -> run(pair, MEASURED, false));
        }
    }

    @Test
    void stallsAndResumesWithoutAllocating() {
        try (RawPair pair = RawPair.unconnected("emulated:allocrnr")) {
            // Without a timeout nobody else asks again meanwhile: the receive alone has the send go on, in this thread.
            pair.a.timeout = 0;
            RawQp.connect(pair.a, pair.b);
            assertNothing(() -> run(pair, MEASURED, true));
        }
    }

    private static void assertNothing(final Runnable many) {
        assertThat(Allocations.perStep(1, MEASURED / 20, many)).as("bytes in %d steps", MEASURED)
            .isLessThan(MEASURED / 10);
    }

    /**
     * Packet by packet, and with payload that stays where it is; what is sent to oneself goes over the wire, too. Now
     * and then the carrier looks who is there, which allocates, and so does what is not compiled yet: the best of many
     * rounds counts.
     */
    @ParameterizedTest
    @CsvSource({"shm, 64", "shm, 10000", "udp&address=@, 64", "udp&address=@, 10000"})
    void sendsOverAWireWithoutAllocating(String wire, int length) throws UnknownHostException {
        final String host = Loopback.address(30);
        try (RawPair pair = RawPair.unconnected("emulated:allocwire?shortcut=false&progress=poll&wire="
            + wire.replace("@", host))) {
            final byte[] gid = wire.equals("shm") ? pair.driver.gid() : bind(pair.driver, InetAddress.getByName(host));
            for (final RawQp qp : List.of(pair.a, pair.b)) {
                qp.timeout = PATIENT_TIMEOUT;
                qp.retryCnt = PATIENT_RETRIES;
            }
            pair.a.connect(pair.b.qpn, gid);
            pair.b.connect(pair.a.qpn, gid);
            final RawRegion from = pair.driver.registerInOne(length, RawPair.ALL);
            final RawRegion to = pair.driver.registerInOne(length, RawPair.ALL);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least > 0; round++) {
                final long before = threads.getCurrentThreadAllocatedBytes();
                overTheWire(pair, from, to, MESSAGES);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).as("bytes for %d messages", MESSAGES).isZero();
        }
    }

    /** The GID that the network gives the device, in place of its own. */
    private static byte[] bind(RawDriver driver, InetAddress address) {
        final Gid gid = Gid.ofIpv4(ByteBuffer.wrap(address.getAddress()).getInt());
        final byte[] bytes = ByteBuffer.allocate(16).putLong(gid.high()).putLong(gid.low()).array();
        driver.unbind(0, driver.gid());
        driver.bind(0, bytes, 2);
        return bytes;
    }

    private static void overTheWire(RawPair pair, RawRegion from, RawRegion to, int messages) {
        for (int i = 0; i < messages; i++) {
            pair.b.receive(i, to.start(), to.length(), to.lkey);
            pair.a.send(i, from.start(), from.length(), from.lkey);
            await(pair, pair.cqB, i);
            await(pair, pair.cqA, i);
        }
    }

    private static void await(RawPair pair, RawCq cq, long wrId) {
        final long deadline = System.nanoTime() + Patience.nanos();
        long found = cq.pollQuick();
        while (found < 0 && System.nanoTime() - deadline < 0) {
            pair.driver.device().service();
            found = cq.pollQuick();
        }
        if (found != wrId) {
            throw new AssertionError(found + " instead of " + wrId + "\n" + pair.driver.device().describe());
        }
    }

    private static void run(RawPair pair, int messages, boolean late) {
        for (int i = 0; i < messages; i++) {
            if (!late) {
                pair.b.receive(i, pair.to.start(), 64, pair.to.lkey);
            }
            pair.a.send(i, pair.from.start(), 64, pair.from.lkey);
            if (late) {
                pair.b.receive(i, pair.to.start(), 64, pair.to.lkey);
            }
            if (pair.cqA.pollQuick() != i || pair.cqB.pollQuick() != i) {
                throw new AssertionError(pair.driver.device().describe());
            }
        }
    }
}
