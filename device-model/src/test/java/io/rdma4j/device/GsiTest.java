/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.testing.Loopback;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Queue pair 1, by which connection managers find each other. */
class GsiTest {
    private static final int MAD = 256;

    private final List<RawDriver> open = new ArrayList<>();

    private RawDriver open(String address) {
        final RawDriver driver = RawDriver.ready(address);
        open.add(driver);
        return driver;
    }

    @AfterEach
    void close() {
        open.forEach(RawDriver::close);
    }

    /** A device with its queue pair 1, and something to send and to receive into. */
    private static final class End {
        final RawDriver driver;
        final byte[] gid;
        final RawCq cq;
        final RawQp qp;
        final RawRegion memory;

        End(RawDriver driver, byte[] gid) {
            this.driver = driver;
            this.gid = gid;
            cq = driver.createCq(16);
            qp = driver.createQp(RawQp.with().gsi().cq(cq)).connect(0, gid);
            memory = driver.register(4096, RawPair.ALL);
            memory.fill(driver.pd);
        }

        void receive() {
            qp.receive(7, memory.start(), 40 + MAD, memory.lkey);
        }

        void send(End to) {
            qp.post(w -> w.send(8, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED)
                .datagram(driver.pd, 1, RawQp.GSI_QKEY, to.gid).sge(memory.start() + 1000, MAD, memory.lkey));
        }

        void expect(End from) {
            final Completion received = cq.await();
            assertThat(received.wrId()).isEqualTo(7);
            assertThat(received.status()).isZero();
            assertThat(received.srcQp()).isEqualTo(1);
            assertThat(received.byteLen()).isEqualTo(40 + MAD);
            assertThat(memory.bytes(40, MAD)).isEqualTo(from.memory.bytes(1000, MAD));
        }
    }

    private static void talk(End a, End b) {
        assertThat(a.qp.qpn).isEqualTo(1);
        assertThat(b.qp.qpn).isEqualTo(1);
        b.receive();
        a.send(b);
        assertThat(a.cq.await().status()).isZero();
        b.expect(a);
        a.receive();
        b.send(a);
        assertThat(b.cq.await().status()).isZero();
        a.expect(b);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?version=17", "?version=19", "?extensions=false"})
    void talksToThatOfAnotherDevice(String options) {
        final RawDriver left = open("emulated:left" + options);
        final RawDriver right = open("emulated:right" + options);
        talk(new End(left, left.gid()), new End(right, right.gid()));
    }

    /** Not by the short way between devices of a process. */
    @Test
    void talksOverAWire() throws UnknownHostException {
        talk(wired("left", 40), wired("right", 41));
    }

    private End wired(String name, int host) throws UnknownHostException {
        final String address = Loopback.address(host);
        final RawDriver driver = open("emulated:" + name + "?wire=udp&shortcut=false&address=" + address);
        final byte[] gid = ByteBuffer.allocate(16).putShort(10, (short) -1).put(12,
            InetAddress.getByName(address).getAddress()).array();
        driver.unbind(0, driver.gid());
        driver.ok(Command.CREATE_BIND, b -> new CreateBindRequest().wrap(b, 0).set(CreateBindRequest.MTU, 1024)
            .set(CreateBindRequest.VLAN, 0xfff).set(CreateBindRequest.INDEX, 0).set(CreateBindRequest.NEW_GID, gid)
            .set(CreateBindRequest.GID_TYPE, 2));
        return new End(driver, gid);
    }

    @Test
    void talksToItself() {
        final RawDriver driver = open("emulated:one");
        final End end = new End(driver, driver.gid());
        end.receive();
        end.send(end);
        end.expect(end);
        assertThat(end.cq.await().wrId()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(ints = {18, 20})
    void isOneForThePort(int version) {
        final RawDriver driver = open("emulated:one?max_qp=4&version=" + version);
        final RawCq cq = driver.createCq(16);
        final RawQp first = driver.createQp(RawQp.with().gsi().cq(cq));
        assertThat(first.handle).isBetween(1, 3);
        assertThatThrownBy(() -> driver.createQp(RawQp.with().gsi().cq(cq))).hasMessageContaining("ERR -16");
        final RawQp other = driver.createQp(RawQp.with().cq(cq));
        assertThat(other.qpn).isGreaterThan(1);
        assertThat(other.handle).isNotEqualTo(first.handle);
        assertThat(driver.destroy(Command.DESTROY_CQ, cq.handle)).isEqualTo(-16);
        for (int i = 0; i < 5; i++) {
            assertThat(driver.createQp(RawQp.with().cq(cq)).destroy()).isZero();
        }
        assertThat(first.destroy()).isZero();
        assertThat(first.destroy()).isEqualTo(-22);
        assertThat(driver.createQp(RawQp.with().gsi().cq(cq)).qpn).isEqualTo(1);
        driver.reset();
        driver.load();
        assertThat(driver.activate()).isZero();
        driver.pd = driver.createPd();
        assertThat(driver.createQp(RawQp.with().gsi().cq(driver.createCq(16))).qpn).isEqualTo(1);
    }

    @Test
    void hasItsQueueKeyAndNoOther() {
        final RawDriver driver = open("emulated:one");
        final RawQp qp = driver.createQp(RawQp.with().gsi().cq(driver.createCq(16)));
        assertThat(init(qp, RawQp.QKEY)).isEqualTo(-22);
        assertThat(init(qp, RawQp.GSI_QKEY)).isZero();
        assertThat(qp.query().get(QpAttr.QKEY)).isEqualTo(0x8001_0000);
        assertThat(qp.modify(QpAttrMask.PVRDMA_QP_QKEY, a -> a.set(QpAttr.QKEY, 5))).isEqualTo(-22);
    }

    private static int init(RawQp qp, int qkey) {
        return qp.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_PKEY_INDEX | QpAttrMask.PVRDMA_QP_QKEY,
            a -> a.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_INIT).set(QpAttr.QKEY, qkey));
    }

    /** A privileged key is not sent for others: their own is, whatever they say. */
    @Test
    void isNotReachedByOrdinaryQueuePairs() {
        final RawDriver driver = open("emulated:one");
        final End end = new End(driver, driver.gid());
        end.receive();
        final RawCq cq = driver.createCq(16);
        final RawQp qp = driver.createQp(RawQp.with().ud().cq(cq)).connect(0, driver.gid());
        qp.post(w -> w.send(8, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).datagram(driver.pd, 1, RawQp.GSI_QKEY, end.gid)
            .sge(end.memory.start(), MAD, end.memory.lkey));
        assertThat(cq.poll().status()).isZero();
        assertThat(end.cq.poll()).isNull();
        assertThat(driver.device().counters().get(Counter.BAD_QKEY)).isEqualTo(1);
        final RawQp connected = driver.createQp(RawQp.with().cq(cq)).connect(1, driver.gid());
        connected.post(w -> w.send(9, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(cq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(end.cq.poll()).isNull();
    }

    @Test
    void onlySends() {
        final RawDriver driver = open("emulated:one");
        final End end = new End(driver, driver.gid());
        end.qp.post(w -> w.send(8, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED)
            .rdma(end.memory.start(), end.memory.rkey).sge(end.memory.start(), 8, end.memory.lkey));
        assertThat(end.cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
    }

    /** QEMU has one with rules of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"qemu-7.2", "only-send", "plain-handles"})
    void isNotOfferedWithQuirks(String quirks) {
        final RawDriver driver = open("emulated:one?quirks=" + quirks);
        final RawCq cq = driver.createCq(16);
        assertThatThrownBy(() -> driver.createQp(RawQp.with().gsi().cq(cq))).hasMessageContaining("ERR -95");
    }
}
