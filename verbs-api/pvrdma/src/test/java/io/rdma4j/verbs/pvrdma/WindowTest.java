/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory windows: what peers reach through them, from when to when. */
class WindowTest {
    private static final AccessFlag[] READ_WRITE = {AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE};

    @RegisterExtension
    final Devices devices = new Devices();

    private static MemoryWindow window(final KeyBench bench, final WindowType type) {
        return bench.owner.pd.allocateWindow(type);
    }

    /** Binds to bytes of the owner's memory, in the way of the type, and waits. */
    private static void bind(
        final KeyBench bench, final MemoryWindow window, final int offset, final long length,
        final AccessFlag... access) {
        final Peer owner = bench.owner;
        final int before = window.rkey();
        assertThat(post(owner, window, bench.bindable, owner.at(offset), length, access)).isZero();
        final Completions.Copy bound = Completions.awaitSuccess(owner.cq);
        assertThat(bound.opcode()).isEqualTo(WcOpcode.BIND_MW);
        assertThat(bound.wrId()).isEqualTo(17);
        assertThat(window.rkey()).isNotEqualTo(before);
        assertThat(window.rkey() >>> 8).isEqualTo(before >>> 8);
    }

    private static int post(
        final Peer owner, final MemoryWindow window, final MemoryRegion region, final long iova, final long length,
        final AccessFlag... access) {
        return window.type() == WindowType.TYPE_1
            ? owner.qp.bindWindow(17, window, region, iova, length, access)
            : owner.qp.postSend(new SendRequest().wrId(17)
                .bind(window, window.nextRkey(), region, iova, length, access));
    }

    @ParameterizedTest
    @EnumSource
    void lendsAPartOfARegion(final WindowType type) {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, type);
        assertThat(window.type()).isEqualTo(type);
        assertThat(window.pd()).isSameAs(bench.owner.pd);
        bind(bench, window, 4090, 16, READ_WRITE);
        assertThat(bench.write(bench.owner.at(4090), window.rkey(), 0x1122334455667788L)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.owner.bytes.getLong(4090)).as("across a page").isEqualTo(0x1122334455667788L);
        assertThat(bench.write(bench.owner.at(4098), window.rkey(), 5)).as("up to the end").isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.read(bench.owner.at(4090), window.rkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.user.bytes.getLong(8)).isEqualTo(0x1122334455667788L);
    }

    /** It is a permission: where nothing is gained by it, it means nothing. */
    @ParameterizedTest
    @EnumSource
    void relaxedOrderingIsNoRightAndNoReasonToRefuse(final WindowType type) {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, type);
        bind(bench, window, 0, 8, AccessFlag.REMOTE_READ, AccessFlag.RELAXED_ORDERING);
        assertThat(bench.read(bench.owner.at(0), window.rkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.write(bench.owner.at(0), window.rkey(), 5)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 9, -4090, 4096})
    void nothingOutsideOfItCanBeReached(final int offset) {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_1);
        bind(bench, window, 4090, 8, READ_WRITE);
        bench.owner.bytes.putLong(4090 + offset, 0);
        assertThat(bench.write(bench.owner.at(4090 + offset), window.rkey(), -1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.owner.bytes.getLong(4090 + offset)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void givesTheRightsOfTheBindingAndNoMore(final WindowType type) {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow reading = window(bench, type);
        final MemoryWindow writing = window(bench, type);
        bind(bench, reading, 0, 64, AccessFlag.REMOTE_READ);
        bind(bench, writing, 0, 64, AccessFlag.REMOTE_WRITE);
        assertThat(bench.read(bench.owner.at(0), reading.rkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.write(bench.owner.at(0), writing.rkey(), 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.read(bench.owner.at(0), writing.rkey())).isEqualTo(WcStatus.REM_ACCESS_ERR);
        bench.reconnect();
        assertThat(bench.write(bench.owner.at(0), reading.rkey(), 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.owner.bytes.getLong(0)).isEqualTo(1);
    }

    @Test
    void letsAtomicsThroughIfTheBindingSaysSo() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_1);
        bind(bench, window, 64, 8, AccessFlag.REMOTE_ATOMIC);
        bench.owner.bytes.putLong(64, 40);
        KeyBench.assertRuns(bench.user, new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD)
            .remote(bench.owner.at(64), window.rkey()).atomic(2, 0).sge(bench.user.at(0), 8, bench.user.lkey()),
            WcOpcode.FETCH_ADD);
        assertThat(bench.owner.bytes.getLong(64)).isEqualTo(42);
        assertThat(bench.user.bytes.getLong(0)).isEqualTo(40);
        assertThat(bench.write(bench.owner.at(64), window.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void aWindowThatIsNotBoundLeadsNowhere() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_2);
        assertThat(bench.write(bench.owner.at(0), window.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void boundAgainTheOldKeyIsDead() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_1);
        bind(bench, window, 0, 64, READ_WRITE);
        final int old = window.rkey();
        bind(bench, window, 4096, 64, READ_WRITE);
        assertThat(bench.write(bench.owner.at(4096), window.rkey(), 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.write(bench.owner.at(4096), old, 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        bench.reconnect();
        assertThat(bench.write(bench.owner.at(0), window.rkey(), 2)).as("where it was before")
            .isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** A key has 256 values: if what is not posted used them up, the next binding would have that of now. */
    @Test
    void refusedBindingsUseUpNoKeys() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_1);
        bind(bench, window, 0, 64, READ_WRITE);
        refusedUntilTheLastKey(bench, window, null, ReturnCode.INVALID_REQUEST);
        assertOldKeyIsDead(bench, window);
    }

    /** As by who tries again until there is room. */
    @Test
    void bindingsThatFindNoRoomUseUpNoKeys() {
        final KeyBench bench = new KeyBench(devices);
        final Peer owner = bench.owner;
        final MemoryWindow window = window(bench, WindowType.TYPE_1);
        bind(bench, window, 0, 64, READ_WRITE);
        final int room = owner.qp.maxSendWr();
        for (int i = 0; i < room; i++) {
            assertThat(owner.qp.postSend(i, owner.at(0), 8, owner.lkey())).as("waits for a receive").isZero();
        }
        refusedUntilTheLastKey(bench, window, bench.bindable, ReturnCode.QUEUE_FULL);
        for (int i = 0; i < room; i++) {
            assertThat(bench.user.qp.postReceive(i, bench.user.at(64), 8, bench.user.lkey())).isZero();
        }
        Completions.await(owner.cq, room);
        Completions.await(bench.user.cq, room);
        assertOldKeyIsDead(bench, window);
    }

    private static void refusedUntilTheLastKey(
        final KeyBench bench, final MemoryWindow window, final MemoryRegion region, final int code) {
        final int key = window.rkey();
        for (int i = 0; i < 255; i++) {
            assertThat(bench.owner.qp.bindWindow(1, window, region, bench.owner.at(0), 8)).isEqualTo(code);
        }
        assertThat(window.rkey()).isEqualTo(key);
    }

    private static void assertOldKeyIsDead(final KeyBench bench, final MemoryWindow window) {
        final int old = window.rkey();
        bind(bench, window, 4096, 64, READ_WRITE);
        assertThat(bench.write(bench.owner.at(4096), old, 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.owner.bytes.getLong(4096)).isZero();
    }

    @Test
    void aBindingOfNoLengthEndsIt() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_1);
        bind(bench, window, 0, 64, READ_WRITE);
        final int old = window.rkey();
        assertThat(bench.owner.qp.bindWindow(1, window, null, 0, 0)).isZero();
        Completions.awaitSuccess(bench.owner.cq);
        assertThat(bench.write(bench.owner.at(0), window.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        bench.reconnect();
        assertThat(bench.write(bench.owner.at(0), old, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        bench.reconnect();
        bind(bench, window, 0, 64, READ_WRITE);
        assertThat(bench.write(bench.owner.at(0), window.rkey(), 1)).isEqualTo(WcStatus.SUCCESS);
    }

    @Test
    void type2IsBoundOnlyWhileItIsFree() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_2);
        bind(bench, window, 0, 64, READ_WRITE);
        KeyBench.assertRuns(bench.owner, KeyBench.invalidation(window.rkey()), WcOpcode.LOCAL_INV);
        bind(bench, window, 64, 64, READ_WRITE);
        assertThat(bench.write(bench.owner.at(64), window.rkey(), 7)).isEqualTo(WcStatus.SUCCESS);
        assertThat(KeyBench.run(bench.owner, new SendRequest().bind(window, window.nextRkey(), bench.bindable,
            bench.owner.at(0), 64, READ_WRITE))).isEqualTo(WcStatus.MW_BIND_ERR);
        assertThat(bench.owner.qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void type2BelongsToTheQpThatBoundItType1ToTheDomain() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow ofDomain = window(bench, WindowType.TYPE_1);
        final MemoryWindow ofQp = window(bench, WindowType.TYPE_2);
        bind(bench, ofDomain, 0, 64, READ_WRITE);
        bind(bench, ofQp, 0, 64, READ_WRITE);
        final Peer stranger = bench.stranger(devices);
        assertThat(KeyBench.write(stranger, bench.owner.at(0), ofDomain.rkey(), 5)).isEqualTo(WcStatus.SUCCESS);
        assertThat(KeyBench.write(stranger, bench.owner.at(0), ofQp.rkey(), 6)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.write(bench.owner.at(8), ofQp.rkey(), 7)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.owner.bytes.getLong(0)).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void endsWithTheRegion(final WindowType type) {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, type);
        bind(bench, window, 0, 64, READ_WRITE);
        bench.bindable.close();
        assertThat(bench.write(bench.owner.at(0), window.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(window.isClosed()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void endsWhenItIsClosed(final WindowType type) {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, type);
        bind(bench, window, 0, 64, READ_WRITE);
        window.close();
        window.close();
        assertThat(window.isClosed()).isTrue();
        assertThat(bench.write(bench.owner.at(0), window.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.owner.bytes.getLong(0)).isZero();
    }

    @Test
    void countsAddressesAsTheRegionDoes() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_1);
        final MemoryRegion zeroBased = bench.owner.pd.register(new MrOptions().memory(bench.owner.at(100), 200)
            .zeroBased().access(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
        assertThat(bench.owner.qp.bindWindow(1, window, zeroBased, bench.owner.at(100), 8, READ_WRITE))
            .isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(bench.owner.qp.bindWindow(1, window, zeroBased, 192, 8, READ_WRITE)).isZero();
        Completions.awaitSuccess(bench.owner.cq);
        assertThat(bench.write(192, window.rkey(), 0x77)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.owner.bytes.getLong(292)).isEqualTo(0x77);
    }

    @Test
    void aRequestBehindABindingFindsItDone() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_2);
        bench.user.qp.postReceive(1, bench.user.at(64), 8, bench.user.lkey());
        final int key = window.nextRkey();
        final SendRequest[] batch = {
            new SendRequest().bind(window, key, bench.bindable, bench.owner.at(0), 64, READ_WRITE).flags(0),
            new SendRequest().opcode(SendOpcode.SEND_WITH_IMM).immData(key).flags(0),
        };
        assertThat(bench.owner.qp.postSend(batch, 2)).isEqualTo(2);
        final int told = Completions.awaitSuccess(bench.user.cq).imm();
        assertThat(told).isEqualTo(window.rkey());
        assertThat(bench.write(bench.owner.at(0), told, 3)).isEqualTo(WcStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource
    void refusesWhatCannotBeBound(final WindowType type) {
        final KeyBench bench = new KeyBench(devices);
        final Peer owner = bench.owner;
        final MemoryWindow window = window(bench, type);
        final long first = owner.at(0);
        final int invalid = ReturnCode.INVALID_REQUEST;
        assertThat(post(owner, window, null, first, 8)).as("no region").isEqualTo(invalid);
        assertThat(post(owner, window, bench.bindable, first, -1)).as("negative").isEqualTo(invalid);
        assertThat(post(owner, window, bench.bindable, first - 1, 8)).as("before").isEqualTo(invalid);
        assertThat(post(owner, window, bench.bindable, first, Peer.LENGTH + 1L)).as("beyond").isEqualTo(invalid);
        assertThat(post(owner, window, bench.bindable, first + Peer.LENGTH, 1)).as("behind").isEqualTo(invalid);
        assertThat(post(owner, window, bench.bindable, first, Long.MAX_VALUE)).as("wraps").isEqualTo(invalid);
        assertThat(post(owner, window, bench.bindable, -8, 16)).as("wraps").isEqualTo(invalid);
        assertThat(post(owner, window, owner.region, first, 8)).as("without MW_BIND").isEqualTo(invalid);
        final MemoryRegion readOnly = owner.pd.register(owner.memory, AccessFlag.MW_BIND);
        assertThat(post(owner, window, readOnly, first, 8, AccessFlag.REMOTE_WRITE)).isEqualTo(invalid);
        assertThat(post(owner, window, readOnly, first, 8, AccessFlag.REMOTE_ATOMIC)).isEqualTo(invalid);
        assertThat(post(owner, window, readOnly, first, 8, AccessFlag.REMOTE_READ)).as("reads").isZero();
        Completions.awaitSuccess(owner.cq);
        readOnly.close();
        assertThat(post(owner, window, readOnly, first, 8)).as("closed region").isEqualTo(invalid);
        window.close();
        assertThat(post(owner, window, bench.bindable, first, 8)).as("closed window").isEqualTo(invalid);
        Completions.assertNone(owner.cq);
    }

    @Test
    void refusesTheWayOfTheOtherType() {
        final KeyBench bench = new KeyBench(devices);
        final Peer owner = bench.owner;
        final MemoryWindow one = window(bench, WindowType.TYPE_1);
        final MemoryWindow two = window(bench, WindowType.TYPE_2);
        final int invalid = ReturnCode.INVALID_REQUEST;
        assertThat(owner.qp.bindWindow(1, two, bench.bindable, owner.at(0), 8)).isEqualTo(invalid);
        assertThat(owner.qp.bindWindow(1, null, bench.bindable, owner.at(0), 8)).isEqualTo(invalid);
        assertThat(owner.qp.bindWindow(1, one, bench.bindable, owner.at(0), 8, AccessFlag.LOCAL_WRITE))
            .isEqualTo(invalid);
        assertThat(owner.qp.bindWindow(1, one, bench.bindable, owner.at(0), 8, (AccessFlag) null)).isEqualTo(invalid);
        assertThat(owner.qp.bindWindow(1, one, bench.bindable, owner.at(0), 8, (AccessFlag[]) null))
            .isEqualTo(invalid);
        final SendRequest request = new SendRequest();
        assertThat(owner.qp.postSend(request.bind(one, one.nextRkey(), bench.bindable, owner.at(0), 8)))
            .isEqualTo(invalid);
        assertThat(owner.qp.postSend(request.bind(two, two.rkey() + 0x100, bench.bindable, owner.at(0), 8)))
            .as("another window's key").isEqualTo(invalid);
        assertThat(owner.qp.postSend(request.bind(two, two.nextRkey(), bench.bindable, owner.at(0), 0)))
            .as("no length").isEqualTo(invalid);
        Completions.assertNone(owner.cq);
    }

    @ParameterizedTest
    @EnumSource
    void refusesObjectsOfAnotherDomain(final WindowType type) {
        final KeyBench bench = new KeyBench(devices);
        final ProtectionDomain other = bench.owner.context.allocatePd();
        final MemoryRegion foreign =
            other.register(bench.owner.memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        final MemoryWindow own = window(bench, type);
        assertThat(post(bench.owner, own, foreign, bench.owner.at(0), 8)).isEqualTo(ReturnCode.FOREIGN_OBJECT);
        assertThat(post(bench.owner, other.allocateWindow(type), bench.bindable, bench.owner.at(0), 8))
            .isEqualTo(ReturnCode.FOREIGN_OBJECT);
        final MemoryRegion far = bench.user.pd.register(bench.user.memory, AccessFlag.MW_BIND);
        assertThat(post(bench.owner, own, far, bench.user.at(0), 8)).isEqualTo(ReturnCode.FOREIGN_OBJECT);
        foreign.close();
    }

    @Test
    void aBindingThatWasFlushedDoesNotSpoilTheWindow() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = window(bench, WindowType.TYPE_1);
        bench.owner.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(post(bench.owner, window, bench.bindable, bench.owner.at(0), 8, READ_WRITE)).isZero();
        assertThat(Completions.await(bench.owner.cq, 1).get(0).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        bench.reconnect();
        bind(bench, window, 0, 8, READ_WRITE);
        assertThat(bench.write(bench.owner.at(0), window.rkey(), 1)).isEqualTo(WcStatus.SUCCESS);
    }

    @Test
    void keysOfWindowsDifferAndCountTheirLowByteOnly() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow one = window(bench, WindowType.TYPE_1);
        final MemoryWindow two = window(bench, WindowType.TYPE_2);
        assertThat(one.rkey() >>> 8).isNotEqualTo(two.rkey() >>> 8);
        for (int i = 0; i < 300; i++) {
            final int before = one.rkey();
            assertThat(one.nextRkey() >>> 8).isEqualTo(before >>> 8);
            assertThat(one.nextRkey() & 0xff).isEqualTo(before + 1 & 0xff);
            bind(bench, one, 0, 8, READ_WRITE);
            assertThat(one.rkey() & 0xff).isEqualTo(before + 1 & 0xff);
        }
        assertThat(bench.write(bench.owner.at(0), one.rkey(), 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(one.toString()).contains("MW", "TYPE_1");
    }

    @Test
    void isRefusedWhereTheDeviceHasNone() {
        for (final String options : new String[] {Devices.QEMU, "extensions=false"}) {
            final PvrdmaContext context = devices.open(options);
            assertThat(context.supports(Feature.MEMORY_WINDOWS)).isFalse();
            assertThat(context.whyNot(Feature.MEMORY_WINDOWS)).contains("windows");
            for (final WindowType type : WindowType.values()) {
                assertRefused(RdmaException.EOPNOTSUPP, () -> context.allocatePd().allocateWindow(type),
                    context.whyNot(Feature.MEMORY_WINDOWS));
            }
            final Peer peer = Peer.rc(context);
            peer.connect(Peer.rc(devices.open()));
            assertThat(peer.qp.bindWindow(1, null, null, 0, 0)).isEqualTo(ReturnCode.UNSUPPORTED);
        }
        assertThat(Peer.ud(devices.open()).qp.bindWindow(1, null, null, 0, 0)).isEqualTo(ReturnCode.UNSUPPORTED);
    }

    @Test
    void thereAreAsManyAsTheDeviceSays() {
        final PvrdmaContext context = devices.open("max_mw=3");
        assertThat(context.attributes().maxMw()).isEqualTo(3);
        final ProtectionDomain pd = context.allocatePd();
        final MemoryWindow first = pd.allocateWindow(WindowType.TYPE_1);
        pd.allocateWindow(WindowType.TYPE_2);
        pd.allocateWindow(WindowType.TYPE_2);
        assertRefused(RdmaException.ENOMEM, () -> pd.allocateWindow(WindowType.TYPE_1));
        first.close();
        pd.allocateWindow(WindowType.TYPE_1);
    }

    @Test
    void closesWithItsDomain() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow one = window(bench, WindowType.TYPE_1);
        bind(bench, one, 0, 8, READ_WRITE);
        final MemoryWindow two = window(bench, WindowType.TYPE_2);
        assertInvalid(() -> bench.owner.pd.allocateWindow(null), "type");
        bench.owner.pd.close();
        assertThat(one.isClosed()).isTrue();
        assertThat(two.isClosed()).isTrue();
        assertClosed(() -> bench.owner.pd.allocateWindow(WindowType.TYPE_1));
        assertThat(bench.owner.qp.bindWindow(1, one, bench.bindable, bench.owner.at(0), 8))
            .isEqualTo(ReturnCode.CLOSED);
    }
}
