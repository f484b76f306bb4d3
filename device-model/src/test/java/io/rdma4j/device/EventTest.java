/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawEvents.Event;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.PortState;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyQpResponse;
import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortResponse;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the device reports of itself, its port, and its connections. */
class EventTest {
    private final RawDriver driver = RawDriver.ready("emulated:events");
    private final RawEvents events = new RawEvents(driver);
    private final EmulatedFaults faults = driver.device().faults();

    @AfterEach
    void close() {
        driver.close();
    }

    private PortAttr port() {
        return new QueryPortResponse().wrap(driver.ok(Command.QUERY_PORT, b -> new QueryPortRequest().wrap(b, 0)
            .set(QueryPortRequest.PORT_NUM, 1)), 0).get(QueryPortResponse.ATTRS);
    }

    private int createPd() {
        return driver.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0));
    }

    @Test
    void tellsThatThePortWentDownAndCameUp() {
        assertThat(port().get(PortAttr.STATE)).isEqualTo(PortState.PVRDMA_PORT_ACTIVE);
        faults.portDown();
        faults.portDown();
        assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_PORT_ERR, 1));
        assertThat(events.poll()).isNull();
        assertThat(port().get(PortAttr.STATE)).isEqualTo(PortState.PVRDMA_PORT_DOWN);
        assertThat(driver.device().describe()).contains("port down");
        faults.portUp();
        faults.portUp();
        assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_PORT_ACTIVE, 1));
        assertThat(events.poll()).isNull();
        assertThat(port().get(PortAttr.STATE)).isEqualTo(PortState.PVRDMA_PORT_ACTIVE);
        assertThat(driver.pci.interrupts().vector(1).fired()).isEqualTo(2);
    }

    @Test
    void losesDatagramsInBothDirectionsWhileThePortIsDown() {
        try (RawPair near = RawPair.datagrams("emulated:near"); RawPair far = RawPair.datagrams("emulated:far")) {
            far.b.receive(1, far.to.start(), 100, far.to.lkey);
            near.b.receive(2, near.to.start(), 100, near.to.lkey);
            for (int round = 0; round < 2; round++) {
                near.driver.device().faults().portDown();
                datagram(near, far);
                datagram(far, near);
                datagram(near, near);
                assertThat(far.cqB.poll()).isNull();
                assertThat(near.cqB.poll()).isNull();
                near.driver.device().faults().portUp();
            }
            datagram(near, far);
            assertThat(far.cqB.poll().wrId()).isEqualTo(1);
            datagram(far, near);
            assertThat(near.cqB.poll().wrId()).isEqualTo(2);
        }
    }

    /** Whatever becomes of it, the sender is done. */
    private static void datagram(RawPair from, RawPair to) {
        from.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).datagram(from.driver.pd, to.b.qpn, RawQp.QKEY,
            to.driver.gid()));
        assertThat(from.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
    }

    @Test
    void saysNothingOfGidsThatItsDriverBinds() {
        final byte[] gid = driver.gid();
        gid[15] ^= 1;
        driver.ok(Command.CREATE_BIND, b -> new CreateBindRequest().wrap(b, 0).set(CreateBindRequest.MTU, 1024)
            .set(CreateBindRequest.VLAN, 0xfff).set(CreateBindRequest.INDEX, 1).set(CreateBindRequest.NEW_GID, gid)
            .set(CreateBindRequest.GID_TYPE, 2));
        driver.unbind(1, gid);
        assertThat(events.poll()).isNull();
        faults.gidChange();
        assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_GID_CHANGE, 1));
    }

    @Test
    void keepsTheOldestEventsOfARingThatIsFull() {
        final int ring = (RawDriver.EVENT_PAGES - 1) * 512;
        for (int i = 0; i < ring + 3; i++) {
            faults.raiseEvent(EventType.PVRDMA_EVENT_COMM_EST, i);
        }
        assertThat(driver.device().counters().get(Counter.EVENTS_LOST)).isEqualTo(3);
        assertThat(driver.device().counters().recent()).anyMatch(line -> line.contains("COMM_EST")
            && line.contains("0x802"));
        assertThat(driver.pci.interrupts().vector(1).fired()).as("the driver is told to make room")
            .isEqualTo(ring + 3);
        for (int i = 0; i < ring; i++) {
            assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_COMM_EST, i));
        }
        assertThat(events.poll()).isNull();
        faults.raiseEvent(EventType.PVRDMA_EVENT_COMM_EST, 7);
        assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_COMM_EST, 7));
    }

    @Test
    void isDeadAfterAFatalErrorUntilItIsReset() {
        try (RawDriver peer = RawDriver.ready("emulated:peer-of-dead")) {
            final RawQp near = driver.createQp(RawQp.with().cq(driver.createCq(16)));
            final RawQp far = peer.createQp(RawQp.with().cq(peer.createCq(16)));
            RawQp.connect(near, far);
            faults.fatal();
            assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_DEVICE_FATAL, 0));
            assertThat(createPd()).isEqualTo(0xffff);
            assertThat(driver.activate()).as("without a reset").isNotZero();
            assertThat(createPd()).isEqualTo(0xffff);
            driver.load();
            assertThat(driver.activate()).as("with a shared region, without a reset").isNotZero();
            assertThat(createPd()).isEqualTo(0xffff);
            near.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
            assertThat(events.poll()).isNull();
            final RawQp other = peer.createQp(RawQp.with().cq(peer.createCq(16)));
            other.timeout = 31;
            other.connect(near.qpn, driver.gid());
            other.post(w -> w.send(1, PVRDMA_WR_SEND, 0));
            assertThat(peer.device().describe()).contains("waits for an answer");

            driver.reset();
            driver.load();
            assertThat(driver.activate()).isZero();

            assertThat(createPd()).isZero();
        }
    }

    @Test
    void tellsOfTheFirstMessageOnAConnectionThatDoesNotSendYet() {
        try (RawPair pair = RawPair.unconnected("emulated:established")) {
            final RawEvents its = new RawEvents(pair.driver);
            pair.a.connect(pair.b.qpn, pair.driver.gid());
            pair.b.toInit();
            pair.b.toRtr(pair.a.qpn, pair.driver.gid());
            for (int i = 0; i < 2; i++) {
                pair.b.receive(i, new long[0][]);
                pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
                assertThat(pair.cqA.poll().status()).isZero();
            }
            assertThat(its.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_COMM_EST, pair.b.handle));
            assertThat(its.poll()).isNull();
            assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTR);
            assertThat(pair.b.toRts()).isZero();
            pair.a.receive(1, new long[0][]);
            pair.b.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
            assertThat(its.poll()).as("to one that sends already").isNull();
        }
    }

    private static int reported(RawDriver driver, RawQp qp) {
        assertThat(qp.destroy()).isZero();
        return new DestroyQpResponse().wrap(driver.response.buffer(), 0).get(DestroyQpResponse.EVENTS_REPORTED);
    }

    /** Brings B an event for its first message, and another one for a key that is wrong. */
    private static void bringEvents(RawPair pair) {
        pair.a.connect(pair.b.qpn, pair.driver.gid());
        pair.b.toInit();
        pair.b.toRtr(pair.a.qpn, pair.driver.gid());
        pair.b.receive(1, new long[0][]);
        assertThat(pair.run(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED))).isZero();
        assertThat(pair.write(pair.to.start(), 8, pair.to.rkey ^ 0xff)).isNotZero();
    }

    @Test
    void aQueuePairThatIsDestroyedTellsHowManyEventsItHad() {
        try (RawPair pair = RawPair.unconnected("emulated:reported")) {
            final RawEvents its = new RawEvents(pair.driver);
            bringEvents(pair);
            final Map<Integer, Integer> seen = new HashMap<>();
            for (Event event = its.poll(); event != null; event = its.poll()) {
                seen.merge(event.info(), 1, Integer::sum);
            }
            assertThat(seen.get(pair.b.handle)).isEqualTo(2);
            assertThat(reported(pair.driver, pair.b)).isEqualTo(2);
            assertThat(reported(pair.driver, pair.a)).isEqualTo(seen.getOrDefault(pair.a.handle, 0));
        }
    }

    @Test
    void eventsThatNobodyFindsAreNotReported() {
        try (RawPair pair = RawPair.unconnected("emulated:silent?quirks=no-events")) {
            bringEvents(pair);
            assertThat(reported(pair.driver, pair.b)).isZero();
        }
        try (RawPair pair = RawPair.unconnected("emulated:full")) {
            for (int i = 0; i < (RawDriver.EVENT_PAGES - 1) * 512; i++) {
                pair.driver.device().faults().raiseEvent(EventType.PVRDMA_EVENT_COMM_EST, pair.b.handle);
            }
            bringEvents(pair);
            assertThat(pair.driver.device().counters().get(Counter.EVENTS_LOST)).isPositive();
            assertThat(reported(pair.driver, pair.b)).isZero();
        }
    }
}
