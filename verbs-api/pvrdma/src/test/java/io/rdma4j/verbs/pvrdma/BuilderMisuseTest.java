/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.testing.Ladder;

import java.lang.reflect.Proxy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests and options keep what they are given until they are used. */
class BuilderMisuseTest {
    @RegisterExtension
    final Devices devices = new Devices();

    /** What was kept is refused where it is used. */
    @Test
    void whatIsOfAnotherDeviceIsRefusedWithItsOptions() {
        final Ladder mine = new Ladder(devices.open());
        final Ladder other = new Ladder(devices.open());
        final ProtectionDomain pd = (ProtectionDomain) mine.get(ProtectionDomain.class);
        final PinnedMemory foreign = (PinnedMemory) other.get(PinnedMemory.class);
        final MemoryRegion region = (MemoryRegion) mine.get(MemoryRegion.class);
        final FastRegion fast = (FastRegion) mine.get(FastRegion.class);

        Refusals.assertInvalid(() -> pd.register(new MrOptions().memory(foreign)));
        Refusals.assertInvalid(() -> pd.register(new MrOptions().pages(new PageList().add(foreign), 0, 8)));
        Refusals.assertInvalid(() -> fast.map(new PageList().add(foreign), 0, 8));
        Refusals.assertInvalid(() -> region.reregister(
            new MrOptions().pd((ProtectionDomain) other.get(ProtectionDomain.class))));

        final QueuePair qp = (QueuePair) mine.get(QueuePair.class);
        final MemoryWindow window = pd.allocateWindow(io.rdma4j.verbs.WindowType.TYPE_2);
        final MemoryRegion far = (MemoryRegion) other.get(MemoryRegion.class);
        assertThat(qp.postSend(new SendRequest().bind(window, window.nextRkey(), far, far.iova(), 8)))
            .isEqualTo(ReturnCode.FOREIGN_OBJECT);
        final FastRegion farFast = (FastRegion) other.get(FastRegion.class);
        assertThat(qp.postSend(new SendRequest().fastRegister(farFast, farFast.nextKey(), 0)))
            .isEqualTo(ReturnCode.FOREIGN_OBJECT);
        final QueuePair datagrams = pd.createQp(new QpOptions().type(QpType.UD).cq(qp.sendCq()));
        QpConnector.activate(datagrams, 1);
        assertThat(datagrams.postSend(new SendRequest().to((AddressHandle) other.get(AddressHandle.class), 1, 1)))
            .isEqualTo(ReturnCode.FOREIGN_OBJECT);
    }

    @Test
    void listsHaveBounds() {
        assertThat(new SgeList(0).totalLength(1)).isZero();
        final PinnedMemory endless = foreign(PinnedMemory.class, "length", Long.MAX_VALUE);
        Refusals.assertInvalid(() -> new PageList().add(endless));
    }

    /** Whatever it says of itself. */
    @Test
    void aChannelThatIsNoneOfTheDeviceIsRefused() {
        final PvrdmaContext context = devices.open();
        Refusals.assertInvalid(
            () -> context.createCq(1, foreign(CompletionChannel.class, "context", context)));
    }

    /** Of another maker; all but one method give nothing. */
    private static <T> T foreign(final Class<T> type, final String method, final Object answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (proxy, called, arguments) -> called.getName().equals(method) ? answer
                : called.getReturnType() == long.class ? (Object) 0L : null));
    }
}
