/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.LockedProvider;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReturnCode;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

class ContextTest {
    @RegisterExtension
    final Devices devices = new Devices();

    @Test
    void listsTheEmulatedDevice() {
        assertThat(RdmaDevices.list()).anySatisfy(info -> {
            assertThat(info.address()).startsWith("emulated:");
            assertThat(info.description()).isNotBlank();
        });
    }

    @Test
    void refusesAddressesItCannotOpen() {
        assertRefused(RdmaException.ENODEV, () -> RdmaDevices.open("nosuch:"), "nosuch", "emulated:");
        assertInvalid(() -> RdmaDevices.open("emulated"));
        assertInvalid(() -> RdmaDevices.open(null));
        assertInvalid(() -> RdmaDevices.open("emulated:x1?nosuch=1"), "nosuch");
        assertInvalid(() -> RdmaDevices.open("emulated:x1?gid=somewhere"), "somewhere");
        assertInvalid(() -> RdmaDevices.open("emulated:x1?gid=::"), "zero");
        assertInvalid(() -> RdmaDevices.open("emulated:x1?timeout=0"), "timeout");
        // None of these left anything open.
        RdmaDevices.open("emulated:x1").close();
    }

    @Test
    void bindsTheLinkLocalGidOrTheOneThatIsAskedFor() {
        final PvrdmaContext plain = devices.open();
        assertThat(plain.queryGid(1, 0)).isEqualTo(Gid.linkLocal(plain.attributes().nodeGuid()));
        assertThat(plain.queryGid(1, 1)).isEqualTo(Gid.ZERO);

        final PvrdmaContext named = devices.open("gid=::ffff:10.0.0.7&timeout=5000");
        assertThat(named.queryGid(1, 0)).isEqualTo(Gid.parse("10.0.0.7"));
        assertThat(named.address()).contains("gid=::ffff:10.0.0.7");
    }

    @Test
    void bindsAndUnbindsGids() {
        final PvrdmaContext device = devices.open();
        final Gid gid = Gid.parse("2001:db8::1");
        device.bindGid(3, gid);
        assertThat(device.queryGid(1, 3)).isEqualTo(gid);
        device.bindGid(3, Gid.parse("2001:db8::2"));
        assertThat(device.queryGid(1, 3)).hasToString("2001:db8::2");
        device.unbindGid(3);
        device.unbindGid(3);
        assertThat(device.queryGid(1, 3).isZero()).isTrue();

        assertInvalid(() -> device.bindGid(3, Gid.ZERO), "zero");
        assertInvalid(() -> device.bindGid(3, null), "null");
        assertInvalid(() -> device.bindGid(-1, gid), "-1");
        final int length = device.attributes().gidTableLength();
        assertInvalid(() -> device.bindGid(length, gid), "GID index is " + length);
        assertInvalid(() -> device.unbindGid(length));
        assertInvalid(() -> device.queryGid(1, length));
        assertInvalid(() -> device.queryGid(2, 0), "port is 2");
        assertInvalid(() -> device.queryGidType(1, length));
        assertInvalid(() -> device.queryGidType(2, 0), "port is 2");
    }

    /** From VERSION 18 on GIDs are of RoCE v2. */
    @Test
    void tellsTheTypeOfItsGids() {
        assertThat(devices.open().queryGidType(1, 0)).isEqualTo(GidType.ROCE_V2);
        assertThat(devices.open("version=17").queryGidType(1, 0)).isEqualTo(GidType.ROCE_V1);
    }

    @Test
    void keepsAGidThatAQpNeedsWhereTheDeviceWouldHang() {
        final PvrdmaContext device = devices.open(Devices.QEMU);
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));

        assertRefused(RdmaException.EBUSY, () -> device.unbindGid(0), a.qp.toString());
        a.qp.close();
        final var ah = a.pd.createAh(AhAttributes.to(device.queryGid(1, 0)));
        assertRefused(RdmaException.EBUSY, () -> device.bindGid(0, Gid.parse("fe80::5")), ah.toString());
        ah.close();
        device.unbindGid(0);
        final var ud = a.pd.createQp(new QpOptions().type(QpType.UD).cq(a.cq));
        assertInvalid(() -> QpConnector.activate(ud, 1), "bindGid");
    }

    @Test
    void keepsMemoryThatTheDeviceDidNotGiveUp() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final int used = device.device.arena().usedPages();
        Devices.emulated(device).faults().commands().failNext(Command.DESTROY_QP, -22);
        assertInvalid(a.qp::close, "DESTROY_QP");

        assertThat(a.qp.isClosed()).isTrue();
        a.qp.close();
        assertThat(device.device.arena().usedPages()).as("pages in use").isEqualTo(used);
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.CLOSED);
    }

    @Test
    void takesItsObjectsFromAFailedDeviceThatStillListens() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final List<String> sent = Collections.synchronizedList(new ArrayList<>());
        device.device.fail("test");
        device.device.channel().observer((request, err, response) ->
            sent.add(Command.of(request.getInt(CommandHeader.CMD.offset())) + " " + err));
        a.qp.close();
        assertThat(sent).containsExactly("DESTROY_QP 0");
        device.close();
        assertThat(sent).containsExactly("DESTROY_QP 0", "DESTROY_CQ 0", "DESTROY_MR 0", "DESTROY_PD 0",
            "DESTROY_BIND 0");
    }

    @Test
    void saysWhatTheProviderSaysWithoutTheRights() {
        assertThatThrownBy(() -> RdmaDevices.open("locked:1?timeout=100")).isSameAs(LockedProvider.REFUSAL)
            .hasMessageContaining("EACCES");
    }

    @Test
    void tellsItsAttributes() {
        final PvrdmaContext device = devices.open();
        final DeviceAttributes a = device.attributes();
        assertThat(a.name()).isEqualTo("rdma4j emulated pvrdma");
        assertThat(a.firmwareVersion()).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(a.deviceVersion()).isEqualTo(20);
        assertThat(a.vendorPartId()).isEqualTo(0x820);
        assertThat(a.physicalPortCount()).isEqualTo(1);
        assertThat(a.maxSge()).isPositive();
        assertThat(a.maxSendWr(0)).isZero();
        assertThat(a.maxSendWr(1)).isGreaterThanOrEqualTo(a.maxSendWr(a.maxSge()));
        assertThat(a.maxReceiveWr(a.maxSge() + 1)).isZero();
        assertThat(a.maxMw()).isEqualTo(4096);
        assertThat(a.maxFastRegPages()).isEqualTo(512);
        assertThat(devices.open(Devices.QEMU).attributes().maxMw()).isZero();
        assertThat(devices.open("extensions=false").attributes().maxMw()).isZero();
        assertThat(a).hasToString(a.name() + " version 20 " + device.device.limits());
    }

    @Test
    void queriesThePort() {
        final PvrdmaContext device = devices.open();
        final PortAttributes port = device.queryPort(1);
        assertThat(port.port()).isEqualTo(1);
        assertThat(port.state()).isEqualTo(PortState.ACTIVE);
        assertThat(port.linkLayer()).isEqualTo("Ethernet");
        assertThat(port.gidTableLength()).isEqualTo(device.attributes().gidTableLength());
        assertThat(device.queryPkey(1, 0)).isEqualTo(0xffff);

        assertInvalid(() -> device.queryPort(0), "port is 0, allowed are 1 to 1");
        assertInvalid(() -> device.queryPort(2));
        assertInvalid(() -> device.queryPkey(1, device.attributes().maxPkeys()));
        assertInvalid(() -> device.queryPkey(1, -1));
    }

    @ParameterizedTest
    @EnumSource(Feature.class)
    void saysWhyAFeatureIsMissing(final Feature feature) {
        for (final PvrdmaContext device : List.of(devices.open(), devices.open(Devices.QEMU),
            devices.open("extensions=false"))) {
            assertThat(device.whyNot(feature) == null).isEqualTo(device.supports(feature));
            if (!device.supports(feature)) {
                assertThat(device.whyNot(feature)).startsWith("the device");
            }
        }
    }

    @Test
    void theWholeDeviceHasEverythingAndAPlainOneAllButTheExtensions() {
        final PvrdmaContext whole = devices.open();
        final PvrdmaContext plain = devices.open("extensions=false");
        final Set<Feature> extensions =
            EnumSet.of(Feature.MEMORY_WINDOWS, Feature.MEMORY_WINDOWS_TYPE_2, Feature.CQ_RESIZE,
                Feature.LARGE_REGIONS, Feature.ON_DEMAND_PAGING, Feature.ON_DEMAND_EVERYWHERE, Feature.SUSPEND);
        final Set<Feature> others = EnumSet.of(Feature.ALL_MEMORY, Feature.DMA_BUFS);
        for (final Feature feature : Feature.values()) {
            assertThat(whole.supports(feature)).as("%s: %s", feature, whole.whyNot(feature))
                .isEqualTo(!others.contains(feature));
            assertThat(plain.supports(feature)).as("%s: %s", feature, plain.whyNot(feature))
                .isEqualTo(!others.contains(feature) && !extensions.contains(feature));
        }
    }

    @Test
    void knowsThePeculiaritiesOfQemu() {
        assertThat(devices.open().peculiarities()).isEmpty();
        final PvrdmaContext qemu = devices.open(Devices.QEMU);
        assertThat(qemu.attributes().name()).isEqualTo("QEMU 7.2 pvrdma");
        assertThat(qemu.peculiarities()).extracting("name").contains("no-flush", "arm-inverted", "send-only");
        assertThat(qemu.supports(Feature.RDMA_WRITE)).isFalse();
        assertThat(qemu.supports(Feature.UNSIGNALED)).as("the driver hides the others").isTrue();
    }

    @Test
    void closesEverythingInTheRightOrderAndOnlyOnce() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final var srq = a.pd.createSrq(4, 1);
        final var shared = a.pd.createQp(new QpOptions().cq(a.cq).srq(srq));
        final var ah = a.pd.createAh(AhAttributes.to(device.queryGid(1, 0)));
        device.close();
        device.close();

        assertThat(List.of(a.qp.isClosed(), a.cq.isClosed(), a.pd.isClosed(), a.region.isClosed(), a.memory.isClosed(),
            srq.isClosed(), shared.isClosed(), ah.isClosed(), device.isClosed())).containsOnly(true);
        assertThat(device.device.commands().liveObjects()).isZero();
        assertThat(device.reachableBytes()).isZero();
        assertThat(device.dump()).contains(device.address());
    }

    @Test
    void refusesEverythingAfterClosing() {
        final PvrdmaContext device = devices.open();
        device.close();

        assertClosed(device::allocatePd, "closed");
        assertClosed(() -> device.createCq(1));
        assertClosed(() -> device.allocate(1));
        assertClosed(() -> device.queryPort(1));
        assertClosed(() -> device.queryGid(1, 0));
        assertClosed(() -> device.queryGidType(1, 0));
        assertClosed(() -> device.queryPkey(1, 0));
        assertClosed(() -> device.bindGid(1, Gid.parse("fe80::5")));
        assertClosed(() -> device.unbindGid(0));
        assertThat(device.pollAsyncEvent()).isNull();
        assertThat(device.awaitAsyncEvent(Patience.duration())).isNull();
        assertThat(device.attributes().maxQp()).isPositive();
        assertThat(device).hasToString("device " + device.address());
    }

    @Test
    void memoryThatWasClosedIsNotKept() {
        final PvrdmaContext context = devices.open();
        final List<WeakReference<PinnedMemory>> closed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            final PinnedMemory memory = context.allocate(4096);
            memory.close();
            closed.add(new WeakReference<>(memory));
        }
        final long begun = System.nanoTime();
        while (closed.stream().anyMatch(one -> one.get() != null) && System.nanoTime() - begun < Patience.nanos()) {
            System.gc();
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(closed).allMatch(one -> one.get() == null);
        Reference.reachabilityFence(context);
    }

    @Test
    void allocatesPinnedMemory() {
        final PvrdmaContext device = devices.open();
        final long before = device.reachableBytes();
        final PinnedMemory memory = device.allocate(4097);
        assertThat(memory.length()).isEqualTo(8192);
        assertThat(memory.address() % 4096).isZero();
        assertThat(device.reachableBytes()).isEqualTo(before + 8192);
        final var buffer = memory.buffer(4096, 10);
        buffer.putInt(0, 7);
        assertThat(memory.buffer().getInt(4096)).isEqualTo(7);
        memory.close();
        memory.close();
        assertThat(device.reachableBytes()).isEqualTo(before);
        // Still ours, although the device does not reach it any more.
        buffer.putInt(0, 8);

        assertInvalid(() -> device.allocate(0), "length is 0");
        assertInvalid(() -> device.allocate(-1));
        assertInvalid(() -> device.allocate(Long.MAX_VALUE));
        assertThat(device.reachesAnyMemory()).isTrue();
    }

    @Test
    void refusesMoreObjectsThanTheDeviceHas() {
        // Of queues the emulated device has one less than it says: no number is 0.
        final PvrdmaContext device = devices.open("max_qp=3&max_cq=3&max_pd=2&max_mr=2&max_srq=2");
        final Peer a = Peer.rc(device);
        final QpOptions small = new QpOptions().cq(a.cq).maxSendWr(1).maxReceiveWr(1);
        a.pd.createQp(small);
        assertRefused(RdmaException.ENOMEM, () -> a.pd.createQp(small), "2 exist", "max_qp", "3", "ENOMEM");
        device.createCq(1);
        assertRefused(RdmaException.ENOMEM, () -> device.createCq(1), "max_cq");
        device.allocatePd().close();
        device.allocatePd();
        assertRefused(RdmaException.ENOMEM, device::allocatePd, "max_pd");
        a.pd.register(a.memory);
        assertRefused(RdmaException.ENOMEM, () -> a.pd.register(a.memory), "max_mr");
        a.pd.createSrq(1, 1);
        assertRefused(RdmaException.ENOMEM, () -> a.pd.createSrq(1, 1), "max_srq");
    }

    @Test
    void aQpThatIsRefusedLeavesItsRoomInBothQueues() {
        final PvrdmaContext device = devices.open("max_qp=3");
        final Peer a = Peer.rc(device);
        final CompletionQueue sends = device.createCq(8);
        final CompletionQueue receives = device.createCq(4);
        final QpOptions wanted =
            new QpOptions().sendCq(sends).receiveCq(receives).maxSendWr(8).maxReceiveWr(4);
        final QueuePair last = a.pd.createQp(new QpOptions().cq(a.cq).maxSendWr(1).maxReceiveWr(1));
        for (int i = 0; i < 2; i++) {
            assertRefused(RdmaException.ENOMEM, () -> a.pd.createQp(wanted), "max_qp");
        }
        last.close();
        a.pd.createQp(wanted).close();
    }

    /** Every packet has room for the smallest one. */
    @Test
    void anMtuThatIsNoneIsTheSmallest() {
        final PortAttr told = new PortAttr().wrap(new UnsafeBuffer(new byte[PortAttr.LAYOUT.length()]), 0);
        for (final int code : new int[] {Integer.MIN_VALUE, -1, 0, 1, 2, 3, 4, 5, 6, Integer.MAX_VALUE}) {
            told.set(PortAttr.MAX_MTU, code).set(PortAttr.ACTIVE_MTU, 2);
            final PortAttributes port = PortQuery.decode(1, told);
            assertThat(port.maxMtu()).as("code %d", code)
                .isEqualTo(code >= 1 && code <= 5 ? Mtu.of(code) : Mtu.MTU_256);
            assertThat(port.activeMtu()).isEqualTo(Mtu.MTU_512);
        }
    }

    @Test
    void aPortHasNoMoreGidsThanWorkRequestsCanName() {
        final PortAttr told = new PortAttr().wrap(new UnsafeBuffer(new byte[PortAttr.LAYOUT.length()]), 0);
        assertThat(PortQuery.decode(1, told.set(PortAttr.GID_TBL_LEN, 128)).gidTableLength()).isEqualTo(128);
        assertThat(PortQuery.decode(1, told.set(PortAttr.GID_TBL_LEN, 1000)).gidTableLength()).isEqualTo(256);
    }

    @Test
    void refusesCqSizesOutOfRange() {
        final PvrdmaContext device = devices.open();
        final int max = device.attributes().maxCqe();
        final CompletionQueue largest = device.createCq(max);
        assertThat(largest.capacity()).isEqualTo(max);
        assertThat(device.createCq(1).capacity()).isEqualTo(1);
        assertThat(device.createCq(5).capacity()).isEqualTo(8);
        assertInvalid(() -> device.createCq(0), "cqe is 0");
        assertInvalid(() -> device.createCq(-1));
        assertInvalid(() -> device.createCq(max + 1), "allowed are 1 to " + max);
        assertInvalid(() -> device.createCq(Integer.MAX_VALUE));
    }

    /** Waiting for a response would not end in time. */
    @Test
    void refusesAllWorkAfterTheDeviceFailedAndClosesWithoutWaiting() {
        final PvrdmaContext device = devices.open("timeout=3600000");
        final Peer a = Peer.rc(device);
        final var srq = a.pd.createSrq(4, 1);
        a.connect(Peer.rc(devices.open()));
        assertThat(device.isFailed()).isFalse();
        assertThat(device.failure()).isNull();
        device.device.fail("test");

        assertThat(device.isFailed()).isTrue();
        assertThat(device.failure()).isEqualTo("test");
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(a.qp.postReceive(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(srq.postReceive(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(a.cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(a.cq.requestNotify(false)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertClosed(() -> a.cq.awaitEvent(Patience.duration()), "test");
        assertClosed(device::allocatePd, "test");
        assertClosed(() -> device.createCq(1), "test");
        assertClosed(() -> a.pd.register(a.memory), "test");
        assertClosed(() -> a.qp.modify(QpAttributes.to(QpState.ERR)), "test");
        assertClosed(() -> a.pd.createQp(new QpOptions().cq(a.cq)));
        final AsyncEvent event = device.awaitAsyncEvent(Patience.duration());
        assertThat(event.type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        assertThat(event.element()).isSameAs(device);
        assertThat(device.dump()).contains("test");

        device.close();
        assertThat(a.qp.isClosed()).isTrue();
    }

    @Test
    void leavesNothingBehindAfterManyRoundsOfEverything() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        long reachable = 0;
        for (int round = 0; round < 50; round++) {
            final Peer a = Peer.rc(device);
            final var srq = a.pd.createSrq(16, 2);
            a.pd.createQp(new QpOptions().cq(a.cq).srq(srq)).close();
            a.pd.close();
            a.cq.close();
            a.memory.close();
            assertThat(device.device.commands().liveObjects()).isZero();
            if (round == 10) {
                reachable = device.reachableBytes();
            }
        }
        // The memory of closed rings rests a little before it is used again.
        Thread.sleep(30);
        device.closedRings.clearOld();
        assertThat(device.reachableBytes()).isLessThanOrEqualTo(reachable + (2 << 20));
    }

    @Test
    void letsManyThreadsCreateAndClose() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        final List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            final Thread thread = new Thread(() -> {
                for (int i = 0; i < 50; i++) {
                    final Peer a = Peer.rc(device);
                    a.qp.close();
                    a.region.close();
                    a.cq.close();
                    a.pd.close();
                    a.memory.close();
                }
            });
            thread.setUncaughtExceptionHandler((dead, e) -> failures.add(e));
            threads.add(thread);
            thread.start();
        }
        for (final Thread thread : threads) {
            Patience.join(thread);
        }
        assertThat(failures).isEmpty();
        assertThat(device.device.commands().liveObjects()).isZero();
    }

    @Test
    void givesTheSameContextToEveryObject() {
        final RdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        assertThat(a.pd.context()).isSameAs(device);
        assertThat(a.cq.context()).isSameAs(device);
        assertThat(a.qp.pd()).isSameAs(a.pd);
        assertThat(a.region.pd()).isSameAs(a.pd);
    }
}
