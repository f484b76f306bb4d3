/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Datagram ports between two devices. */
@Timeout(60)
final class UdPortTest {
    private static final int QKEY = 0x1234;
    private static final int RECEIVES = 32;

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[600]);
    private MsgNode a;
    private MsgNode b;
    private Realm realmA;
    private Realm realmB;
    private UdPort from;
    private UdPort to;
    private int received;
    private int length;
    private long sum;
    private Gid source;
    private int sourceQpn;

    @BeforeEach
    void open() {
        a = MsgNode.on(devices);
        b = MsgNode.on(devices);
        realmA = ((EndpointHost) a.domain).openRealm(null);
        realmB = ((EndpointHost) b.domain).openRealm(null);
        from = UdPort.open((EndpointHost) a.domain, realmA, QKEY, RECEIVES);
        to = UdPort.open((EndpointHost) b.domain, realmB, QKEY, RECEIVES);
        for (int i = 0; i < message.capacity(); i++) {
            message.putByte(i, (byte) i);
        }
    }

    @AfterEach
    void close() {
        from.close();
        to.close();
        to.close();
        realmA.release();
        realmB.release();
    }

    private void count(
        final long high, final long low, final int qpn, final DirectBuffer buffer, final int offset, final int bytes) {
        received++;
        length = bytes;
        sum += bytes == 0 ? 0 : buffer.getByte(offset) + buffer.getByte(offset + bytes - 1);
        sourceQpn = qpn;
        source = source != null && source.high() == high && source.low() == low ? source : new Gid(high, low);
    }

    private int send(final int offset, final int bytes) {
        return from.send(to.gid().high(), to.gid().low(), to.qpn(), QKEY, message, offset, bytes);
    }

    private void awaitReceived(final int count) {
        final UdHandler handler = this::count;
        Await.until(() -> received + " of " + count + ": " + from + " " + to, () -> {
            assertThat(to.poll(handler, 16)).isNotNegative();
            from.poll(handler, 16);
            return received >= count;
        });
    }

    @Test
    void datagramsOfAllSizesArrive() {
        for (int bytes = 0; bytes <= UdEnd.MAX_MESSAGE; bytes += bytes < 16 ? 1 : 31) {
            received = 0;
            sum = 0;
            assertThat(send(3, bytes)).isZero();
            awaitReceived(1);
            assertThat(length).isEqualTo(bytes);
            assertThat(sum).isEqualTo(bytes == 0 ? 0 : (byte) 3 + (byte) (3 + bytes - 1));
            assertThat(sourceQpn).isEqualTo(from.qpn());
            assertThat(source).isEqualTo(from.gid());
        }
    }

    @Test
    void misuseIsRefused() {
        assertThat(send(0, UdEnd.MAX_MESSAGE + 1)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(send(500, 101)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(send(-1, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(send(0, -1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(send(Integer.MAX_VALUE, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(from.send(0, 1, 2, 3, null, 0, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(from.send(0, 0, 2, 3, message, 0, 1)).as("no GID").isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(from.send(0xff02L << 48, 1, 2, 3, message, 0, 1)).as("multicast").isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(from.poll(null, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(from.poll(this::count, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        final EndpointHost host = (EndpointHost) a.domain;
        for (final int bad : new int[] {0, -1, 4097}) {
            assertThatThrownBy(() -> UdPort.open(host, realmA, QKEY, bad)).isInstanceOf(FabricException.class);
        }
        assertThatThrownBy(() -> UdPort.open(host, realmA, -1, 8)).isInstanceOf(FabricException.class);
        from.close();
        assertThat(send(0, 1)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(from.poll(this::count, 1)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void aFullQueueSaysSoAndEmptiesByPolling() {
        int sent = 0;
        while (sent < 1_000 && send(0, 8) == 0) {
            sent++;
        }
        assertThat(send(0, 8)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(sent).isEqualTo(64);
        from.poll(this::count, 64);
        assertThat(send(0, 8)).isZero();
    }

    /** More than it has receives for: those beyond are lost, as datagrams are, and it goes on. */
    @Test
    void aFloodIsSurvived() {
        for (int i = 0; i < 20 * RECEIVES; i++) {
            while (send(0, 100) == -FiErrno.FI_EAGAIN) {
                from.poll(this::count, 64);
            }
        }
        while (to.poll(this::count, 64) > 0) {
            // Until it is empty.
        }
        assertThat(received).isGreaterThanOrEqualTo(RECEIVES);
        received = 0;
        from.poll(this::count, 64);
        assertThat(send(0, 100)).isZero();
        awaitReceived(1);
    }

    @Test
    void waysToManyPortsAreKeptWithinBounds() {
        final String before = a.objects();
        for (int i = 0; i < 2_000; i++) {
            b.context.bindGid(1, new Gid(0xfe80L << 48, i + 1));
            final int code = from.send(0xfe80L << 48, i + 1, 5, QKEY, message, 0, 8);
            assertThat(code).isIn(0, -FiErrno.FI_EAGAIN);
            from.poll(this::count, 64);
        }
        assertThat(a.objects()).isEqualTo(before);
        assertThat(send(0, 8)).isZero();
        awaitReceived(1);
    }

    @Test
    void aPortThatFailedComesUpAgain() throws ReflectiveOperationException {
        assertThat(send(0, 8)).isZero();
        awaitReceived(1);
        fail(from);
        fail(to);
        received = 0;
        Await.until(() -> from + " " + to, () -> {
            assertThat(send(0, 8)).isIn(0, -FiErrno.FI_EAGAIN);
            from.poll(this::count, 8);
            to.poll(this::count, 8);
            return received >= 3;
        });
        assertThat(from.mended()).isEqualTo(1);
        assertThat(to.mended()).isEqualTo(1);
        received = 0;
        for (int i = 0; i < 200; i++) {
            assertThat(send(0, 8)).isZero();
            awaitReceived(i + 1);
        }
    }

    /** As if the device had found a fault. */
    private static void fail(final UdPort port) throws ReflectiveOperationException {
        final Field field = UdPort.class.getDeclaredField("qp");
        field.setAccessible(true);
        ((QueuePair) field.get(port)).modify(QpAttributes.to(QpState.ERR));
    }

    @Test
    void sendingAndPollingAllocateNothing() {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long thread = Thread.currentThread().getId();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            final UdHandler handler = this::count;
            final long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < 2_000; i++) {
                send(0, 64);
                to.poll(handler, 16);
                from.poll(handler, 16);
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
        }
        assertThat(received).isGreaterThan(30_000);
        assertThat(least).as("bytes for 2,000 datagrams").isLessThan(500);
    }
}
