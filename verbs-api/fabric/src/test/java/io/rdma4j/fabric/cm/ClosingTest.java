/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.verbs.AddressHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.reflect.Field;
import java.lang.reflect.Proxy;

import org.agrona.DirectBuffer;

/** Closing on a device that fails: all is given back that can be ({@link TestDevices} looks). */
@Timeout(60)
final class ClosingTest {
    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private final MsgNode a = MsgNode.on(devices);
    private final MsgNode b = MsgNode.on(devices);
    private boolean isBroken;

    /** A port that sends nothing any more, and says so by throwing. */
    private final class Broken extends FilteredEnd {
        Broken(final UdEnd port) {
            super(port);
        }

        @Override
        public int send(
            final long gidHigh, final long gidLow, final int qpn, final int qkey, final DirectBuffer message,
            final int offset, final int length) {
            if (isBroken) {
                throw FabricException.of("send").detail("the device failed").errno(FiErrno.FI_EIO).build();
            }
            return super.send(gidHigh, gidLow, qpn, qkey, message, offset, length);
        }
    }

    @Test
    void aConnectionThatCannotSayGoodbyeGivesItsChannelBack() {
        final MsgConnections connections = new MsgConnections((EndpointHost) a.domain, a.fabric, Broken::new);
        // Its queue gets what it keeps.
        connections.open(a.options()).close();
        final String before = a.objects();
        final MsgEndpoint asker = connections.open(a.options());
        asker.connect(b.listen().address(), null);
        isBroken = true;
        asker.close();
        assertThat(a.objects()).isEqualTo(before);
    }

    @Test
    void aListenerThatCannotRefuseGivesItsPortBack() {
        final String before = b.objects();
        final PassiveListener passive =
            PassiveListener.open((EndpointHost) b.domain, b.eq, null, closed -> { }, Broken::new);
        passive.listen();
        final MsgEndpoint asker = a.open(MsgNode.quick(a.options()));
        asker.connect(passive.address(), null);
        b.await(FabricEvent.CONNREQ, a);
        isBroken = true;
        assertThatThrownBy(passive::close).isInstanceOf(FabricException.class).hasMessageContaining("failed");
        passive.close();
        assertThat(b.objects()).isEqualTo(before);
    }

    @Test
    void aPortIsClosedAlsoIfAnAddressHandleCannotBe() throws ReflectiveOperationException {
        final Realm realm = ((EndpointHost) a.domain).openRealm(null);
        final String before = a.objects();
        final UdPort port = UdPort.open((EndpointHost) a.domain, realm, 7, 8);
        final AddressHandle[] handles = handles(port);
        handles[0] = (AddressHandle) Proxy.newProxyInstance(ClosingTest.class.getClassLoader(),
            new Class<?>[] {AddressHandle.class}, (proxy, method, arguments) -> {
                throw RdmaException.of("destroy address handle").detail("the device failed")
                    .errno(RdmaException.EIO).build();
            });
        assertThatThrownBy(port::close).isInstanceOf(FabricException.class).hasMessageContaining("failed");
        port.close();
        assertThat(a.objects()).isEqualTo(before);
        realm.release();
    }

    private static AddressHandle[] handles(final UdPort port) throws ReflectiveOperationException {
        final Field ahCache = UdPort.class.getDeclaredField("ahCache");
        ahCache.setAccessible(true);
        final Field handles = AhCache.class.getDeclaredField("handles");
        handles.setAccessible(true);
        return (AddressHandle[]) handles.get(ahCache.get(port));
    }
}
