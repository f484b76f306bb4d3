/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawEvents.Event;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is remembered of a connection on which all went well is forgotten when it does not hold any more, and each check
 * of the long way is made on the short one too. Regions of one page are what the short way takes; each test sends
 * before, as the first message goes the long way, and counts what went which way.
 */
class ExpressLaneTest {
    private static final int SIZE = 2048;
    /** For regions and windows; a power of two. */
    private static final int PLACES = 512;

    private final RawPair pair = patient();
    private final RawRegion from = pair.driver.register(pair.driver.pd, SIZE, 8, RawPair.ALL);
    private final RawRegion to = pair.driver.register(pair.driver.pd, SIZE, 16, RawPair.ALL);
    private long next;
    private int carried;

    /** Nobody gives up before the test has looked. */
    private static RawPair patient() {
        final RawPair made = RawPair.unconnected("emulated:express?max_mw=64&max_mr=" + (PLACES - 64));
        made.a.timeout = 0;
        made.b.timeout = 0;
        RawQp.connect(made.a, made.b);
        return made;
    }

    @BeforeEach
    void warmUp() {
        from.fill(3);
        for (int i = 0; i < 3; i++) {
            assertThat(send(64, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(write(0, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
        // The first message of the connection went the long way.
        carried = 5;
        assertThat(pair.shortened()).isEqualTo(carried);
        assertThat(pair.driver.device().describe()).contains(" completed 6, 5 the short way");
    }

    @AfterEach
    void close() {
        pair.close();
    }

    /** What is refused went the long way, behind what went the short one. */
    private void assertRefused(int expected, int status) {
        assertThat(status).isEqualTo(expected);
        assertThat(pair.shortened()).isEqualTo(carried);
    }

    private int writeTo(RawRegion region) {
        return pair.run(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
            .rdma(region.start(), region.rkey).sge(from.start(), 64, from.lkey));
    }

    private RawRegion foreign() {
        return pair.driver.register(pair.driver.createPd(), SIZE, 24, RawPair.ALL);
    }

    private void assertUntouched(RawRegion region) {
        assertThat(region.bytes(0, SIZE)).containsOnly(0);
    }

    /** A receive that must not be used: of a single message, and of the last one of a row. */
    private void assertReceiveRefused(RawRegion region, boolean inRow) {
        if (inRow) {
            pair.b.receive(++next, to.start(), 64, to.lkey);
            pair.a.write(w -> w.send(next, WrOpcode.PVRDMA_WR_SEND, 0).sge(from.start(), 64, from.lkey));
            carried++;
        }
        pair.b.receive(++next, region.start(), 64, region.lkey);
        assertRefused(WcStatus.PVRDMA_WC_REM_OP_ERR, sendOnly(64));
        if (inRow) {
            assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
        assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertUntouched(region);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesAReceiveWithoutLocalWrite(boolean inRow) {
        assertReceiveRefused(pair.driver.register(pair.driver.pd, SIZE, 24, 0), inRow);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesAReceiveIntoAnotherDomain(boolean inRow) {
        assertReceiveRefused(foreign(), inRow);
    }

    @Test
    void refusesAWriteIntoAnotherDomain() {
        final RawRegion region = foreign();
        assertRefused(WcStatus.PVRDMA_WC_REM_ACCESS_ERR, writeTo(region));
        assertUntouched(region);
    }

    @Test
    void refusesAWriteWithoutTheRight() {
        final RawRegion region = pair.driver.register(pair.driver.pd, SIZE, 24,
            AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE | AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
        assertRefused(WcStatus.PVRDMA_WC_REM_ACCESS_ERR, writeTo(region));
        assertUntouched(region);
    }

    @Test
    void refusesToReadFromAnotherDomain() {
        final RawRegion region = foreign();
        pair.b.receive(++next, to.start(), 64, to.lkey);
        pair.a.send(next, region.start(), 64, region.lkey);
        assertRefused(WcStatus.PVRDMA_WC_LOC_PROT_ERR, pair.cqA.await().status());
        assertThat(pair.cqB.poll()).isNull();
    }

    @Test
    void refusesToReadPastTheRegion() {
        pair.b.receive(++next, to.start(), 64, to.lkey);
        pair.a.send(next, from.start() + SIZE - 63, 64, from.lkey);
        assertRefused(WcStatus.PVRDMA_WC_LOC_PROT_ERR, pair.cqA.await().status());
    }

    /** To the same receiver, with the sequence number that it expects, from another queue pair. */
    @Test
    void takesNothingFromAStranger() {
        final RawQp stranger = pair.driver.createQp(RawQp.with().cq(pair.driver.createCq(16)));
        stranger.toInit();
        stranger.toRtr(pair.b.qpn, pair.driver.gid());
        assertThat(stranger.modify(RawQp.RC_RTS, attr -> {
            stranger.fillRts(attr);
            attr.set(QpAttr.SQ_PSN, 0x10 + carried + 1);
        })).isZero();
        pair.b.receive(++next, to.start(), 64, to.lkey);
        stranger.send(next, from.start(), 64, from.lkey);
        assertThat(pair.cqB.poll()).as(pair.driver.device().describe()).isNull();
        assertThat(pair.shortened()).isEqualTo(carried);
        assertThat(pair.count(Counter.NO_PEER)).isPositive();
    }

    /** The sender begins anew with another sequence number, on a connection that is up for the receiver. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void takesNothingOutOfSequence(int step) {
        beginAnew(0, step);
        assertSendIsNotTaken(Counter.PSN_MISMATCH);
    }

    /** The sender's number and sequence number are those that the receiver expects, its address is another. */
    @ParameterizedTest
    @ValueSource(ints = {7, 15})
    void takesNothingFromAnotherAddress(int changed) {
        final byte[] gid = pair.driver.gid();
        gid[changed] ^= 1;
        pair.driver.ok(Command.CREATE_BIND, b -> new CreateBindRequest().wrap(b, 0).set(CreateBindRequest.MTU, 1024)
            .set(CreateBindRequest.VLAN, 0xfff).set(CreateBindRequest.INDEX, 1)
            .set(CreateBindRequest.NEW_GID, gid)
            .set(CreateBindRequest.GID_TYPE, pair.driver.dsr.get(Dsr.CAPS).get(Caps.GID_TYPES)));
        beginAnew(1, 0);
        assertSendIsNotTaken(Counter.NO_PEER);
    }

    /** Side A takes its connection up again, in the sequence or some steps away from it; side B knows of nothing. */
    private void beginAnew(int gidIndex, int step) {
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
        pair.a.zeroIndices();
        assertThat(pair.a.toInit()).isZero();
        assertThat(pair.a.modify(RawQp.RC_RTR, attr -> {
            pair.a.fillRtr(attr, pair.b.qpn, pair.driver.gid());
            attr.get(QpAttr.AH_ATTR).set(AhAttr.GRH_SGID_INDEX, gidIndex);
        })).isZero();
        assertThat(pair.a.modify(RawQp.RC_RTS, attr -> {
            pair.a.fillRts(attr);
            attr.set(QpAttr.SQ_PSN, 0x10 + carried + 1 + step);
        })).isZero();
    }

    private void assertSendIsNotTaken(Counter counter) {
        pair.b.receive(++next, to.start(), 64, to.lkey);
        pair.a.send(next, from.start(), 64, from.lkey);
        assertThat(pair.cqB.poll()).as(pair.driver.device().describe()).isNull();
        assertThat(pair.shortened()).isEqualTo(carried);
        assertThat(pair.count(counter)).isPositive();
    }

    @Test
    void takesUpTheSequence() {
        beginAnew(0, 0);
        assertThat(send(64, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.shortened()).isEqualTo(carried + 1);
    }

    private int send(int length, int room) {
        pair.b.receive(++next, to.start(), room, to.lkey);
        return sendOnly(length);
    }

    private int sendOnly(int length) {
        pair.a.send(next, from.start(), length, from.lkey);
        return pair.cqA.await().status();
    }

    private int write(int at, int length) {
        return pair.run(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE,
            SendFlags.PVRDMA_SEND_SIGNALED).rdma(to.start() + at, to.rkey)
            .sge(from.start(), length, from.lkey));
    }

    private void end(RawRegion region) {
        assertThat(pair.driver.destroy(Command.DESTROY_MR, region.handle)).isZero();
    }

    @Test
    void carriesBytesOfAnyLengthAndNoMore() {
        for (int length = 1; length <= 400; length++) {
            to.fill(99);
            assertThat(write(5, length)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(to.bytes(5, length)).as("%d bytes", length).isEqualTo(from.bytes(0, length));
            assertThat(to.get(4)).isEqualTo((byte) RawRegion.pattern(99, 4));
            assertThat(to.get(5 + length)).isEqualTo((byte) RawRegion.pattern(99, 5 + length));
        }
    }

    @Test
    void tellsOfAReceive() {
        assertThat(send(200, 300)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        final Completion told = pair.cqB.await();
        assertThat(told.wrId()).isEqualTo(next);
        assertThat(told.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RECV);
        assertThat(told.byteLen()).isEqualTo(200);
        assertThat(told.srcQp()).isEqualTo(pair.a.qpn);
        assertThat(told.qp()).isEqualTo(pair.b.handle);
        assertThat(to.bytes(0, 200)).isEqualTo(from.bytes(0, 200));
    }

    /** Alone or in a row, and nothing of them is left for the send that follows. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void carriesImmediateData(boolean inRow) {
        final int[] data = {0x0102_0304, 0, -1};
        for (final int immediate : data) {
            pair.b.receive(++next, to.start(), 64, to.lkey);
            pair.a.write(w -> w.send(next, WrOpcode.PVRDMA_WR_SEND_WITH_IMM, SendFlags.PVRDMA_SEND_SOLICITED)
                .imm(immediate).sge(from.start(), 64, from.lkey));
            if (!inRow) {
                pair.a.ringSend();
            }
        }
        assertThat(send(64, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        for (final int immediate : data) {
            final Completion told = pair.cqB.await();
            assertThat(told.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RECV);
            assertThat(told.flags()).isEqualTo(WcFlags.PVRDMA_WC_WITH_IMM);
            assertThat(told.imm()).isEqualTo(immediate);
            assertThat(told.byteLen()).isEqualTo(64);
            assertThat(told.srcQp()).isEqualTo(pair.a.qpn);
        }
        final Completion plain = pair.cqB.await();
        assertThat(plain.flags()).isZero();
        assertThat(plain.imm()).isZero();
        assertThat(pair.shortened()).isEqualTo(carried + data.length + 1);
    }

    @Test
    void tellsOfASendWithImmediateData() {
        pair.b.receive(++next, to.start(), 64, to.lkey);
        pair.a.post(w -> w.send(78, WrOpcode.PVRDMA_WR_SEND_WITH_IMM, SendFlags.PVRDMA_SEND_SIGNALED).imm(7)
            .sge(from.start(), 64, from.lkey));
        final Completion told = pair.cqA.await();
        assertThat(told.wrId()).isEqualTo(78);
        assertThat(told.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_SEND);
        assertThat(pair.shortened()).isEqualTo(carried + 1);
    }

    @Test
    void tellsOfAWrite() {
        pair.a.post(w -> w.send(77, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
            .rdma(to.start(), to.rkey).sge(from.start(), 200, from.lkey));
        final Completion told = pair.cqA.await();
        assertThat(told.wrId()).isEqualTo(77);
        assertThat(told.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RDMA_WRITE);
        assertThat(told.byteLen()).isEqualTo(200);
        assertThat(pair.shortened()).isEqualTo(carried + 1);
    }

    /** Short ones before and after it are of two rows. */
    @Test
    void carriesALongMessageInTheMiddleOfARowOnce() {
        final int[] lengths = {64, 64, 300, 64, 65};
        for (final int length : lengths) {
            pair.b.receive(++next, to.start(), 400, to.lkey);
            pair.a.write(w -> w.send(next, WrOpcode.PVRDMA_WR_SEND, length == 65 ? SendFlags.PVRDMA_SEND_SIGNALED : 0)
                .sge(from.start(), length, from.lkey));
        }
        pair.a.ringSend();
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        for (final int length : lengths) {
            assertThat(pair.cqB.await().byteLen()).isEqualTo(length);
        }
        assertThat(pair.cqB.poll()).isNull();
        assertThat(pair.shortened()).isEqualTo(carried + lengths.length);
        assertThat(pair.count(Counter.PSN_MISMATCH)).isZero();
    }

    @Test
    void refusesAMessageThatIsLongerThanTheReceive() {
        assertRefused(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR, send(65, 64));
        assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_LEN_ERR);
    }

    @Test
    void refusesAReceiveThatReachesPastItsRegion() {
        assertRefused(WcStatus.PVRDMA_WC_REM_OP_ERR, send(64, SIZE + 1));
        assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
    }

    @Test
    void refusesAWritePastTheRegion() {
        assertRefused(WcStatus.PVRDMA_WC_REM_ACCESS_ERR, write(SIZE - 63, 64));
    }

    @Test
    void refusesAWriteInFrontOfTheRegion() {
        assertRefused(WcStatus.PVRDMA_WC_REM_ACCESS_ERR, write(-1, 64));
    }

    @Test
    void forgetsTheSendersRegion() {
        end(from);
        assertRefused(WcStatus.PVRDMA_WC_LOC_PROT_ERR, write(0, 64));
    }

    @Test
    void forgetsTheTargetOfWrites() {
        end(to);
        assertRefused(WcStatus.PVRDMA_WC_REM_ACCESS_ERR, write(0, 64));
    }

    @Test
    void forgetsPagesThatWereUnmapped() {
        to.memory(0).close();
        assertRefused(WcStatus.PVRDMA_WC_REM_ACCESS_ERR, write(0, 64));
    }

    @Test
    void forgetsTheTargetOfSends() {
        pair.b.receive(++next, to.start(), 64, to.lkey);
        end(to);
        assertRefused(WcStatus.PVRDMA_WC_REM_OP_ERR, sendOnly(64));
    }

    /** In turn, and of more regions than have their lines side by side. */
    @Test
    void goesToAndFromEachOfManyRegions() {
        final RawRegion[] many = new RawRegion[300];
        for (int i = 0; i < many.length; i++) {
            many[i] = pair.driver.registerInOne(64, RawPair.ALL);
            many[i].fill(i);
        }
        for (int i = 0; i < many.length; i++) {
            final RawRegion source = many[i];
            final RawRegion target = many[(i + 151) % many.length];
            assertThat(pair.run(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
                .rdma(target.start(), target.rkey).sge(source.start(), 64, source.lkey)))
                .isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(target.bytes(0, 64)).as("region %d", i).isEqualTo(source.bytes(0, 64));
        }
        assertThat(pair.shortened()).isEqualTo(carried + many.length);
    }

    @Test
    void goesOnWhenOtherMemoryIsUnmapped() {
        pair.driver.page().close();
        assertThat(write(0, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(send(64, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.shortened()).isEqualTo(carried + 2);
    }

    /** Each place is used again in time, with other keys. */
    @Test
    void knowsNothingOfARegionThatAnotherOneTookThePlaceOf() {
        final int number = to.handle & PLACES - 1;
        end(to);
        RawRegion next = pair.driver.registerInOne(SIZE, RawPair.ALL);
        for (int tries = 0; (next.handle & PLACES - 1) != number; tries++) {
            assertThat(tries).isLessThan(PLACES);
            end(next);
            next = pair.driver.registerInOne(SIZE, RawPair.ALL);
        }
        assertThat(writeTo(next)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        carried++;
        assertThat(next.bytes(0, 64)).isEqualTo(from.bytes(0, 64));
        next.fill(5);
        assertRefused(WcStatus.PVRDMA_WC_REM_ACCESS_ERR, write(0, 64));
        assertThat(next.get(0)).isEqualTo((byte) RawRegion.pattern(5, 0));
    }

    /** It is the key of no region, and the place of the first one is where it would be looked for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesZeroForNoKeyWhereTheFirstRegionWas(boolean remote) {
        final RawRegion first = pair.from;
        assertThat(first.handle & PLACES - 1).isZero();
        end(first);
        assertRefused(remote ? WcStatus.PVRDMA_WC_REM_ACCESS_ERR : WcStatus.PVRDMA_WC_LOC_PROT_ERR,
            pair.run(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
                .rdma(remote ? first.start() : to.start(), remote ? 0 : to.rkey)
                .sge(remote ? from.start() : first.start(), 64, remote ? from.lkey : 0)));
    }

    @Test
    void heedsAccessThatWasTakenAway() {
        assertThat(pair.b.modify(QpAttrMask.PVRDMA_QP_ACCESS_FLAGS,
            attr -> attr.set(QpAttr.QP_ACCESS_FLAGS, AccessFlags.PVRDMA_ACCESS_REMOTE_READ))).isZero();
        assertRefused(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR, write(0, 64));
    }

    private void assertNothingIsWritten() {
        to.fill(77);
        pair.a.post(w -> w.send(++next, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
            .rdma(to.start(), to.rkey).sge(from.start(), 64, from.lkey));
        assertThat(pair.cqA.poll()).as(pair.driver.device().describe()).isNull();
        assertThat(to.get(0)).isEqualTo((byte) RawRegion.pattern(77, 0));
    }

    @Test
    void writesNothingWhereTheQueuePairIsDestroyed() {
        assertThat(pair.b.destroy()).isZero();
        assertNothingIsWritten();
    }

    @ParameterizedTest
    @ValueSource(ints = {QpState.PVRDMA_QPS_ERR, QpState.PVRDMA_QPS_RESET})
    void writesNothingWhereTheQueuePairIsInTheWrongState(int state) {
        assertThat(pair.b.modifyState(state)).isZero();
        assertNothingIsWritten();
    }

    @Test
    void findsNobodyWhereTheQueuePairIsDestroyed() {
        assertThat(pair.b.destroy()).isZero();
        pair.a.send(++next, from.start(), 64, from.lkey);
        assertThat(pair.cqA.poll()).as(pair.driver.device().describe()).isNull();
    }

    @Test
    void findsNobodyWhereTheQueuePairFailed() {
        assertThat(pair.b.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
        pair.a.send(++next, from.start(), 64, from.lkey);
        assertThat(pair.cqA.poll()).as(pair.driver.device().describe()).isNull();
    }

    @Test
    void waitsForAReceiveAndGoesOn() {
        pair.a.send(70, from.start(), 64, from.lkey);
        assertThat(pair.cqA.poll()).isNull();
        pair.b.receive(71, to.start(), 64, to.lkey);
        assertThat(pair.cqA.await().wrId()).isEqualTo(70);
        assertThat(pair.cqB.await().wrId()).isEqualTo(71);
        assertThat(pair.driver.device().describe()).as("it is over").doesNotContain("waits for");
        assertThat(send(64, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
    }

    @Test
    void losesItsWayWithThePort() {
        pair.driver.device().faults().portDown();
        pair.a.send(++next, from.start(), 64, from.lkey);
        assertThat(pair.cqA.poll()).isNull();
    }

    /** On both sides of the length from which on a message is copied before the completion queue is locked. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 200, 255, 256, 257, 264, 1000, SIZE})
    void putsSendsOfAnyLengthWhereTheReceiveSaysAndNowhereElse(int length) {
        to.fill(99);
        from.fill(length);
        assertThat(send(length, length)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.cqB.poll().byteLen()).isEqualTo(length);
        assertThat(to.bytes(0, length)).isEqualTo(from.bytes(0, length));
        for (int i = length; i < SIZE; i++) {
            assertThat(to.get(i)).as("byte %d", i).isEqualTo((byte) RawRegion.pattern(99, i));
        }
        assertThat(pair.shortened()).isEqualTo(carried + 1);
    }

    @Test
    void leadsToAQueuePairThatDoesNotSendYet() {
        final RawQp a = pair.driver.createQp(RawQp.with().cq(pair.cqA));
        final RawQp b = pair.driver.createQp(RawQp.with().cq(pair.cqB));
        a.connect(b.qpn, pair.driver.gid());
        b.toInit();
        b.toRtr(a.qpn, pair.driver.gid());
        for (int i = 0; i < 2; i++) {
            b.receive(i, to.start(), 64, to.lkey);
            a.send(i, from.start(), 64, from.lkey);
            assertThat(pair.cqA.poll().status()).isZero();
            assertThat(pair.cqB.poll().wrId()).isEqualTo(i);
        }
        assertThat(pair.shortened()).as("all but the first message of a connection").isEqualTo(carried + 1);
    }

    /** Where the numbers of queue pairs are places in a table, one is soon another queue pair's. */
    @Test
    void leadsToWhoTookTheNumberOfAPeerThatIsGone() {
        try (RawPair few = RawPair.connected("emulated:few?max_qp=4&version=" + Bar1.PVRDMA_PPN64_VERSION)) {
            final RawRegion source = few.driver.registerInOne(64, RawPair.ALL);
            for (int i = 0; i < 2; i++) {
                assertThat(few.write(source.start(), 8, source.rkey)).isZero();
                few.b.receive(i, source.start(), 64, source.lkey);
                few.a.send(i, source.start(), 64, source.lkey);
                assertThat(few.cqA.poll().status()).isZero();
                assertThat(few.cqB.poll().status()).isZero();
            }
            final long before = few.shortened();
            assertThat(few.b.destroy()).isZero();
            final RawQp next = few.driver.createQp(RawQp.with().cq(few.cqB));
            assertThat(next.qpn).isEqualTo(few.b.qpn);
            final int psn = few.a.query().get(QpAttr.SQ_PSN);
            next.toInit();
            assertThat(next.modify(RawQp.RC_RTR, attr -> {
                next.fillRtr(attr, few.a.qpn, few.driver.gid());
                attr.set(QpAttr.RQ_PSN, psn);
            })).isZero();
            for (int i = 0; i < 2; i++) {
                next.receive(i, source.start(), 64, source.lkey);
                few.a.send(i, source.start(), 64, source.lkey);
                assertThat(few.cqA.poll().status()).isZero();
                assertThat(few.cqB.poll().qp()).isEqualTo(next.handle);
            }
            assertThat(few.shortened()).isEqualTo(before + 1);
        }
    }

    @Test
    void doesNotHideThatACompletionQueueIsFull() {
        final RawEvents events = new RawEvents(pair.driver);
        final RawCq small = pair.driver.createCq(2);
        final RawQp a = pair.driver.createQp(RawQp.with().cq(pair.cqA));
        final RawQp b = pair.driver.createQp(RawQp.with().cqs(pair.cqB, small));
        RawQp.connect(a, b);
        for (int i = 0; i < 3; i++) {
            assertThat(events.poll()).as("before message %d", i).isNull();
            b.receive(i, to.start(), 64, to.lkey);
            a.send(i, from.start(), 64, from.lkey);
            assertThat(pair.cqA.poll().status()).isZero();
        }
        assertThat(pair.shortened()).isEqualTo(carried + 1);
        assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_CQ_ERR, small.handle));
        assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_QP_FATAL, b.handle));
        assertThat(b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    @Test
    void countsWhatIsReceivedEitherWay() {
        final int messages = 6;
        assertThat(pair.driver.device().describe()).containsPattern("(?m)receives .* completed 3 psn "
            + (0x10 + messages) + "$");
    }
}
