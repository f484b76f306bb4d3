/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.device.raw.RawWirePeer.FIRST_PSN;
import static io.rdma4j.device.raw.RawWirePeer.MTU;
import static io.rdma4j.device.raw.RawWirePeer.QPN;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.device.raw.RawWirePeer;
import io.rdma4j.device.raw.RawWirePeer.Came;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.hw.pvrdma.Mtu;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.roce.Aeth;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;
import io.rdma4j.testing.Patience;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A connection whose other end is a script: it sends the packets that it likes, in the order that it likes. */
class WirePeerTest {
    private static final int PACKETS = 8_000;
    /** More packets than the device sends in two turns. */
    private static final int LONG_READ = 400;
    private static final String FAULTS_COME_LATER = "an older JVM throws at any later place what an access has met";
    private static final long DEADLINE = Patience.nanos();

    private RawWirePeer peer;

    /** Not before: of a test that is skipped there is an object, too, which nobody closes. */
    @BeforeEach
    void connect() {
        peer = RawWirePeer.byUdp();
    }

    private void connectServed() {
        close();
        peer = RawWirePeer.served();
    }

    /** Asks for packets of a READ of a region that begins with the first number. */
    private void readFrom(RawRegion source, int packet) {
        read(source, packet, source.length() / MTU);
    }

    private void read(RawRegion source, int packet, int end) {
        final long address = source.start() + (long) packet * MTU;
        peer.send(Opcode.READ_REQUEST, FIRST_PSN + packet, false, 0, (int) (address >>> 32), (int) address, source.rkey,
            (end - packet) * MTU);
    }

    /** A READ of which the first packets are sent, and more wait; how many went. */
    private int beginLongRead(RawRegion source) {
        readFrom(source, 0);
        final List<Came> first = peer.serve();
        assertThat(first.get(0).opcode()).isEqualTo(Opcode.READ_RESPONSE_FIRST);
        assertThat(first).hasSizeBetween(1, LONG_READ - 1);
        return first.size();
    }

    @AfterEach
    void close() {
        peer.close();
    }

    private void receive(int wrId) {
        peer.qp.receive(wrId, new long[] {peer.region.start(), 4000, peer.region.lkey});
    }

    @Test
    void aMessageOfThreePacketsIsOneCompletion() {
        receive(1);
        peer.send(Opcode.SEND_FIRST, FIRST_PSN, false, MTU);
        peer.send(Opcode.SEND_MIDDLE, FIRST_PSN + 1, true, MTU);
        peer.expectAck(FIRST_PSN + 1, Aeth.ACK, 0);
        peer.send(Opcode.SEND_LAST, FIRST_PSN + 2, true, 5);
        peer.expectAck(FIRST_PSN + 2, Aeth.ACK, 1);
        assertThat(peer.cq.await().status()).isZero();
    }

    /** There is room for twice as much. */
    @Test
    void aMessageIsNotLongerThanTheDeviceSaysThatOneMayBe() {
        connectServed();
        peer.renew(RawQp.with().cq(peer.cq));
        peer.qp.pathMtu = Mtu.PVRDMA_MTU_4096;
        peer.connect();
        final RawRegion room = peer.driver.registerRepeating(Pdir.MAX_PAGES, RawPair.ALL);
        peer.qp.receive(1, new long[] {room.start(), room.length(), room.lkey},
            new long[] {room.start(), room.length(), room.lkey});
        for (int i = 0; i < Pdir.MAX_PAGES; i++) {
            peer.send(i == 0 ? Opcode.SEND_FIRST : Opcode.SEND_MIDDLE, FIRST_PSN + i, i % 16 == 15, Pdir.PAGE_SIZE);
            if (i % 16 == 15) {
                assertThat(peer.serve()).last().matches(came -> came.opcode() == Opcode.ACKNOWLEDGE);
            }
        }
        assertThat(peer.cq.poll()).isNull();

        peer.send(Opcode.SEND_LAST, FIRST_PSN + Pdir.MAX_PAGES, true, 1);
        peer.serve();

        assertThat(peer.cq.poll()).matches(c -> c.wrId() == 1 && c.status() == WcStatus.PVRDMA_WC_LOC_LEN_ERR);
    }

    /** Nobody else would hear of it, and it would take its place in the shared queue for ever. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReceiveOfASharedQueueIsGivenUpWithTheQueuePairThatTookIt(boolean isReset) {
        connectServed();
        final RawSrq srq = peer.driver.createSrq(16, 1);
        peer.renew(RawQp.with().cq(peer.cq).srq(srq));
        peer.connect();
        srq.receive(5, peer.region.start(), 4000, peer.region.lkey);
        peer.send(Opcode.SEND_FIRST, FIRST_PSN, true, MTU);
        final long deadline = System.nanoTime() + DEADLINE;
        while (peer.serve().isEmpty()) {
            assertThat(System.nanoTime() - deadline).as(peer.driver.device()::describe).isNegative();
        }
        assertThat(peer.cq.poll()).isNull();
        if (isReset) {
            assertThat(peer.qp.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
        } else {
            peer.qp.destroy();
        }
        final RawCq.Completion given = peer.cq.poll();
        assertThat(given.wrId()).isEqualTo(5);
        assertThat(given.status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
    }

    @Test
    void aGapIsToldOnceAndARepeatIsAcknowledgedWithoutAnEffect() {
        receive(1);
        receive(2);
        peer.send(Opcode.SEND_ONLY, FIRST_PSN + 1, true, 4);
        peer.expectAck(FIRST_PSN, Aeth.NAK_SEQUENCE, 0);
        peer.send(Opcode.SEND_ONLY, FIRST_PSN + 2, true, 4);
        peer.send(Opcode.SEND_ONLY, FIRST_PSN, true, 4);
        peer.expectAck(FIRST_PSN, Aeth.ACK, 1);
        peer.send(Opcode.SEND_ONLY, FIRST_PSN, true, 4);
        peer.expectAck(FIRST_PSN, Aeth.ACK, 1);
        peer.send(Opcode.SEND_ONLY, FIRST_PSN + 1, true, 4);
        peer.expectAck(FIRST_PSN + 1, Aeth.ACK, 2);
        assertThat(peer.cq.await().wrId()).isEqualTo(1);
        assertThat(peer.cq.await().wrId()).isEqualTo(2);
        assertThat(peer.cq.poll()).isNull();
        assertThat(peer.driver.device().counters().get(Counter.RESENT_PACKETS)).isEqualTo(3);
    }

    /** A requester whose READ was not answered yet could take that for the end of it. */
    @Test
    void theAcknowledgementOfARepeatDoesNotReachOverWhatCameLater() {
        peer.write(Opcode.WRITE_ONLY, FIRST_PSN, peer.region.start(), peer.region.rkey, 4);
        peer.expectAck(FIRST_PSN, Aeth.ACK, 1);
        peer.send(Opcode.READ_REQUEST, FIRST_PSN + 1, false, 0, (int) (peer.region.start() >>> 32),
            (int) peer.region.start(), peer.region.rkey, 4);
        assertThat(peer.answered()).isEqualTo(Opcode.READ_RESPONSE_ONLY);
        peer.write(Opcode.WRITE_ONLY, FIRST_PSN, peer.region.start(), peer.region.rkey, 4);
        peer.expectAck(FIRST_PSN, Aeth.ACK, 2);
    }

    @Test
    void withoutAReceiveTheSenderIsAskedToWait() {
        peer.send(Opcode.SEND_ONLY, FIRST_PSN, true, 4);
        peer.expectAck(FIRST_PSN, Aeth.RNR_NAK | 1, 0);
        receive(1);
        peer.send(Opcode.SEND_ONLY, FIRST_PSN, true, 4);
        peer.expectAck(FIRST_PSN, Aeth.ACK, 1);
    }

    @Test
    void aReadIsAnsweredAgainFromTheMiddle() {
        peer.write(Opcode.READ_REQUEST, FIRST_PSN, peer.region.start(), peer.region.rkey, 0);
        assertThat(peer.answered()).isEqualTo(Opcode.READ_RESPONSE_ONLY);
        peer.send(Opcode.READ_REQUEST, FIRST_PSN + 1, false, 0, (int) (peer.region.start() >>> 32),
            (int) peer.region.start(), peer.region.rkey, 2 * MTU + 1);
        assertThat(peer.answered()).isEqualTo(Opcode.READ_RESPONSE_FIRST);
        assertThat(peer.answered()).isEqualTo(Opcode.READ_RESPONSE_MIDDLE);
        assertThat(peer.answered()).isEqualTo(Opcode.READ_RESPONSE_LAST);
        final long middle = peer.region.start() + MTU;
        peer.send(Opcode.READ_REQUEST, FIRST_PSN + 2, false, 0, (int) (middle >>> 32), (int) middle, peer.region.rkey,
            MTU + 1);
        assertThat(peer.answered()).isEqualTo(Opcode.READ_RESPONSE_FIRST);
        assertThat(Bth.psn(peer.answer, 0)).isEqualTo(FIRST_PSN + 2);
        assertThat(peer.answered()).isEqualTo(Opcode.READ_RESPONSE_LAST);
    }

    /** A packet of it was lost, or the answer came too late: what is asked for again is a request of its own. */
    @ParameterizedTest
    @ValueSource(ints = {0, 10, 128, LONG_READ - 2, LONG_READ - 1})
    void aReadIsAnsweredFromItsBeginningAlsoWhileItIsBeingAnswered(int again) {
        connectServed();
        final RawRegion source = peer.driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        source.fill(3);
        assertThat(beginLongRead(source)).as("packet 128 is the next one").isEqualTo(128);

        readFrom(source, again);

        final List<Came> answers = peer.serve();
        if (again > 0) {
            // A late copy of the first request changes nothing in front of the end of this answer.
            readFrom(source, 0);
        }
        answers.addAll(peer.serveAll());
        assertThat(answers).hasSizeGreaterThanOrEqualTo(LONG_READ - again);
        final Came first = answers.get(0);
        assertThat(first.psn()).isEqualTo(FIRST_PSN + again);
        assertThat(Opcode.NAMES.of(first.opcode())).isEqualTo(Opcode.NAMES.of(again == LONG_READ - 1
            ? Opcode.READ_RESPONSE_ONLY : Opcode.READ_RESPONSE_FIRST));
        for (int i = again; i < LONG_READ; i++) {
            final Came each = answers.get(i - again);
            assertThat(each.psn()).isEqualTo(FIRST_PSN + i);
            assertThat(Opcode.ends(each.opcode())).isEqualTo(i == LONG_READ - 1);
            assertThat(each.carries(source, i * MTU, MTU)).as("packet %d", i).isTrue();
        }
    }

    /** A packet of an answer was lost that had left already: all from there on is asked for again, in order. */
    @Test
    void whatIsAskedForAgainIsAnsweredInThatOrder() {
        connectServed();
        final RawRegion source = peer.driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        read(source, 0, 10);
        assertThat(peer.serveAll()).hasSize(10);
        readFrom(source, 10);
        assertThat(peer.serve()).hasSizeBetween(1, LONG_READ - 11);

        read(source, 5, 10);
        readFrom(source, 10);

        final List<Came> answers = peer.serveAll();
        assertThat(answers.subList(answers.size() - LONG_READ + 5, answers.size())).extracting(Came::psn)
            .containsExactlyElementsOf(IntStream.range(5, LONG_READ).mapToObj(i -> FIRST_PSN + i).toList());
    }

    /** An answer, and an acknowledgement behind it. */
    @Test
    void whatWaitsIsNotSentAfterTheStepToError() {
        connectServed();
        final RawRegion source = peer.driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        beginLongRead(source);
        peer.write(Opcode.WRITE_ONLY, FIRST_PSN + LONG_READ, peer.region.start(), peer.region.rkey, 4);
        assertThat(peer.serve()).isNotEmpty().noneMatch(each -> each.opcode() == Opcode.ACKNOWLEDGE);

        assertThat(peer.qp.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();

        assertThat(peer.serve()).isEmpty();
        assertThat(peer.driver.device().describe()).doesNotContain("answers wait");
    }

    /** The queue pair is in the error state by itself then, and the peer is to know why. */
    @Test
    void aRefusalThatWaitsIsSentAlsoIfTheProgramTakesTheSameStep() {
        connectServed();
        final RawRegion source = peer.driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        beginLongRead(source);
        peer.write(Opcode.WRITE_ONLY, FIRST_PSN + LONG_READ, peer.region.start(), peer.region.rkey + 1, 4);
        assertThat(peer.serve()).isNotEmpty().noneMatch(each -> each.opcode() == Opcode.ACKNOWLEDGE);

        assertThat(peer.qp.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();

        final List<Came> answers = peer.serveAll();
        final byte[] last = answers.get(answers.size() - 1).bytes();
        assertThat(Aeth.NAMES.of(Aeth.syndrome(new UnsafeBuffer(last), Bth.LENGTH)))
            .isEqualTo(Aeth.NAMES.of(Aeth.NAK_REMOTE_ACCESS));
    }

    /** What it would answer is of memory that the program may use for something else. */
    @Test
    void whatWaitsIsNotSentWhenThePeerWasGivenUp() {
        connectServed();
        final RawRegion source = peer.driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        beginLongRead(source);
        peer.qp.send(1, peer.region.start(), 4, peer.region.lkey);
        final long begun = System.nanoTime();
        while (state(peer.qp) != QpState.PVRDMA_QPS_ERR) {
            assertThat(System.nanoTime() - begun).as(peer.driver.device()::describe).isLessThan(DEADLINE);
            peer.driver.device().faults().passTime(Duration.ofSeconds(1));
            peer.driver.device().service();
        }
        assertThat(peer.cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        peer.came();

        assertThat(peer.serve()).isEmpty();
        assertThat(peer.driver.device().describe()).doesNotContain("answers wait");
    }

    @Test
    void answersThatAPeerDoesNotReadAreForgottenUntilItAsksAgain() {
        connectServed();
        final RawRegion source = peer.driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        readFrom(source, 0);
        for (int i = 0; i < LONG_READ; i++) {
            peer.driver.device().service();
        }
        assertThat(peer.driver.device().describe()).contains("answers wait for room");

        peer.driver.device().faults().passTime(Duration.ofMinutes(1));
        peer.driver.device().service();
        peer.driver.device().service();

        assertThat(peer.driver.device().describe()).doesNotContain("answers wait");
        peer.came();
        readFrom(source, 0);
        assertThat(peer.serveAll()).hasSize(LONG_READ);
    }

    /** Its number comes round after 2^24 packets, of which a READ is many. */
    @Test
    void anAtomicThatIsRepeatedHasTheResultOfTheNewestWithItsNumber() {
        connectServed();
        final int packets = 1 << 20;
        final long length = (long) packets * MTU;
        final long[] pages = new long[(int) (length / Pdir.PAGE_SIZE)];
        Arrays.fill(pages, peer.region.memory(0).iova());
        final long pdir = peer.driver.pdir(pages);
        final int rkey = new CreateMrResponse().wrap(peer.driver.ok(Command.CREATE_MR,
            b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, peer.driver.pd).set(CreateMrRequest.START, 0L)
            .set(CreateMrRequest.LENGTH, length).set(CreateMrRequest.ACCESS_FLAGS, RawPair.ALL)
            .set(CreateMrRequest.PDIR_DMA, pdir).set(CreateMrRequest.NCHUNKS, pages.length)), 0)
            .get(CreateMrResponse.RKEY);
        assertThat(added(FIRST_PSN, rkey)).isZero();
        int psn = FIRST_PSN + 1;
        while (psn != FIRST_PSN + (1 << 24)) {
            final int asked = Math.min(packets, FIRST_PSN + (1 << 24) - psn);
            peer.send(Opcode.READ_REQUEST, psn, false, 0, 0, 0, rkey, asked * MTU);
            peer.serve();
            // The peer has all but the last packet.
            peer.send(Opcode.READ_REQUEST, psn + asked - 1, false, 0, 0, (asked - 1) * MTU, rkey, MTU);
            final List<Came> answers = peer.serveAll();
            assertThat(answers.get(answers.size() - 1).psn()).isEqualTo(psn + asked - 1 & 0xff_ffff);
            psn += asked;
        }
        assertThat(added(psn, rkey)).isEqualTo(1);
        assertThat(added(psn, rkey)).as("the same once more").isEqualTo(1);
    }

    @Test
    void anAtomicThatIsRepeatedBeforeItsAnswerHasLeftIsAnsweredOnce() {
        connectServed();
        assertThat(peer.qp.modifyState(QpState.PVRDMA_QPS_SQD)).isZero();
        assertThat(peer.qp.modify(QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC,
            attributes -> attributes.set(QpAttr.MAX_DEST_RD_ATOMIC, 2))).isZero();
        beginLongRead(peer.driver.registerInOne(LONG_READ * MTU, RawPair.ALL));
        final long word = peer.region.start() + 7 & -8;
        final List<Came> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            peer.send(Opcode.FETCH_ADD, FIRST_PSN + LONG_READ, true, 0, (int) (word >>> 32), (int) word,
                peer.region.rkey, 0, 1, 0, 0);
            answers.addAll(peer.serve());
        }
        answers.addAll(peer.serveAll());
        assertThat(answers).filteredOn(each -> each.opcode() == Opcode.ATOMIC_ACKNOWLEDGE).hasSize(1);
    }

    /** Adds 1 to the first word of a region; what it was before. */
    private long added(int psn, int rkey) {
        peer.send(Opcode.FETCH_ADD, psn, true, 0, 0, 0, rkey, 0, 1, 0, 0);
        final List<Came> answers = peer.serveAll();
        assertThat(answers).hasSize(1);
        assertThat(answers.get(0).opcode()).isEqualTo(Opcode.ATOMIC_ACKNOWLEDGE);
        return new UnsafeBuffer(answers.get(0).bytes()).getLong(Bth.LENGTH + Aeth.LENGTH, ByteOrder.BIG_ENDIAN);
    }

    /** What overtakes a packet has the peer miss that one, which it may take later: nobody knows its number. */
    @ParameterizedTest
    @ValueSource(ints = {Aeth.NAK_SEQUENCE, Aeth.RNR_NAK | 1})
    void aNumberThatWasRefusedIsNotUsedAgainWherePacketsOvertakeEachOther(int refusal) {
        final RawRegion gone = peer.driver.registerInOne(MTU, RawPair.ALL);
        peer.renew(RawQp.with().cq(peer.cq));
        peer.qp.timeout = 31;
        peer.connect();
        peer.qp.send(1, gone.start(), 40, gone.lkey);
        peer.qp.send(2, peer.region.start(), 40, peer.region.lkey);
        for (int i = 0; i < 2; i++) {
            assertThat(peer.answered()).isEqualTo(Opcode.SEND_ONLY);
        }
        assertThat(peer.driver.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        peer.acknowledge(FIRST_PSN, refusal);
        assertThat(peer.cq.await()).extracting(RawCq.Completion::wrId, RawCq.Completion::status)
            .containsExactly(1L, WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(peer.cq.await()).extracting(RawCq.Completion::wrId, RawCq.Completion::status)
            .containsExactly(2L, WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        assertThat(peer.qp.query().get(QpAttr.SQ_PSN)).isEqualTo(FIRST_PSN + 2);
    }

    /** As if it had been answered before it was forbidden. */
    @Test
    void aReadThatLooksLikeARepeatIsNotAnsweredWhereNoneIsAllowed() {
        connectServed();
        assertThat(peer.qp.modifyState(QpState.PVRDMA_QPS_SQD)).isZero();
        assertThat(peer.qp.modify(QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC,
            attributes -> attributes.set(QpAttr.MAX_DEST_RD_ATOMIC, 0))).isZero();
        peer.send(Opcode.READ_REQUEST, FIRST_PSN - 1, false, 0, (int) (peer.region.start() >>> 32),
            (int) peer.region.start(), peer.region.rkey, 4);
        assertThat(peer.serveAll()).noneMatch(each -> each.opcode() == Opcode.READ_RESPONSE_ONLY);
    }

    /** Memory of a file in the device's reach. */
    private CreateMrResponse register(MappedMemory file) {
        peer.driver.device().mapMemory(0, file.address(), file.length());
        final long pdir = peer.driver.pdir(LongStream.range(0, file.length() / Pdir.PAGE_SIZE)
            .map(page -> page * Pdir.PAGE_SIZE).toArray());
        return new CreateMrResponse().wrap(peer.driver.ok(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, peer.driver.pd).set(CreateMrRequest.START, 0)
            .set(CreateMrRequest.LENGTH, file.length()).set(CreateMrRequest.ACCESS_FLAGS, RawPair.ALL)
            .set(CreateMrRequest.PDIR_DMA, pdir)
            .set(CreateMrRequest.NCHUNKS, (int) (file.length() / Pdir.PAGE_SIZE))), 0);
    }

    private void onMemoryOfAFile(BiConsumer<Integer, CreateMrResponse> test) {
        final int fd = Libc.memfdCreate("cut-off", 0);
        Libc.ftruncate(fd, LONG_READ * MTU);
        try (MappedMemory memory = MappedMemory.map(0, LONG_READ * MTU, LibcConstants.PROT_READ
            | LibcConstants.PROT_WRITE, LibcConstants.MAP_SHARED, fd, 0)) {
            test.accept(fd, register(memory));
            close();
        } finally {
            Libc.close(fd);
        }
    }

    private static int state(RawQp of) {
        return of.query().get(QpAttr.QP_STATE);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_19, disabledReason = FAULTS_COME_LATER)
    void anAnswerThatWaitsAndMeetsAFaultEndsItsConnection() {
        connectServed();
        onMemoryOfAFile((fd, file) -> {
            peer.send(Opcode.READ_REQUEST, FIRST_PSN, false, 0, 0, 0, file.get(CreateMrResponse.RKEY), LONG_READ * MTU);
            assertThat(peer.serve()).hasSizeBetween(1, LONG_READ - 1);
            Libc.ftruncate(fd, 0);
            assertThat(peer.serveAll()).noneMatch(each -> Opcode.ends(each.opcode()));
            assertThat(peer.driver.device().counters().get(Counter.INTERNAL_ERRORS)).isPositive();
            assertThat(QpState.NAMES.of(state(peer.qp))).isEqualTo(QpState.NAMES.of(QpState.PVRDMA_QPS_ERR));
        });
    }

    /** Others that wait with it go on. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_19, disabledReason = FAULTS_COME_LATER)
    void aSendThatWaitsAndMeetsAFaultEndsItsConnectionAlone() {
        connectServed();
        final RawRegion source = peer.driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        final RawQp other = peer.driver.createQp(RawQp.with().cq(peer.cq));
        other.connect(QPN + 1, peer.gid());
        onMemoryOfAFile((fd, file) -> {
            readFrom(source, 0);
            for (int i = 0; i < LONG_READ; i++) {
                peer.driver.device().service();
            }
            other.send(1, 0, MTU, file.get(CreateMrResponse.LKEY));
            assertThat(peer.driver.device().describe()).contains("waits for room");
            Libc.ftruncate(fd, 0);
            final List<Came> answers = peer.came();
            answers.addAll(peer.serveAll());
            assertThat(answers).anyMatch(each -> each.opcode() == Opcode.READ_RESPONSE_LAST);
            assertThat(peer.cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
            assertThat(QpState.NAMES.of(state(other))).isEqualTo(QpState.NAMES.of(QpState.PVRDMA_QPS_ERR));
            assertThat(QpState.NAMES.of(state(peer.qp))).isEqualTo(QpState.NAMES.of(QpState.PVRDMA_QPS_RTS));
        });
    }

    @Test
    void aWriteOutsideOfTheRegionIsRefusedAndEndsTheConnection() {
        peer.write(Opcode.WRITE_ONLY, FIRST_PSN, peer.region.start() + RawPair.SIZE - 3, peer.region.rkey, 4);
        peer.expectAck(FIRST_PSN, Aeth.NAK_REMOTE_ACCESS, 0);
        assertThat(peer.qp.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    @Test
    void aRequestIsSentAgainUntilItIsAcknowledged() {
        peer.qp.post(w -> w.send(9, WrOpcode.PVRDMA_WR_SEND,
            SendFlags.PVRDMA_SEND_SIGNALED).sge(peer.region.start(), 40, peer.region.lkey));
        assertThat(peer.answered()).isEqualTo(Opcode.SEND_ONLY);
        assertThat(Bth.asksAck(peer.answer, 0)).isTrue();
        assertThat(peer.answered()).as("once more").isEqualTo(Opcode.SEND_ONLY);
        assertThat(Bth.psn(peer.answer, 0)).isEqualTo(FIRST_PSN);
        assertThat(peer.cq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    /** Anything at all, with the right check sum: from this peer, to this queue pair. */
    @Campaign(value = "hostile-peer", usual = 3)
    void nothingThatAPeerSendsDoesHarm(long seed) {
        final Random random = new Random(seed);
        for (int i = 0; i < peer.region.length(); i++) {
            peer.region.put(i, 1);
        }
        final byte[] before = new byte[123];
        peer.region.memory(0).buffer().getBytes(0, before);
        int psn = FIRST_PSN;
        for (int i = 0; i < PACKETS; i++) {
            if (peer.qp.query().get(QpAttr.QP_STATE) != QpState.PVRDMA_QPS_RTS) {
                peer.renew(RawQp.with().cq(peer.cq));
                peer.connect();
                psn = FIRST_PSN;
                receive(i);
                peer.cq.poll();
            }
            if (random.nextInt(4) == 0 && !peer.qp.sendsAreFull()) {
                peer.qp.post(w -> w.send(1, random.nextInt(5), 2).rdma(peer.region.start(), peer.region.rkey)
                    .sge(peer.region.start(), random.nextInt(4000), peer.region.lkey));
            }
            final int opcode = random.nextInt(3) == 0 ? random.nextInt(256) : random.nextInt(24);
            final long address = peer.region.start() + random.nextInt(RawPair.SIZE + 2000) - 1000;
            final int length = random.nextBoolean() ? MTU : random.nextInt(MTU + 64);
            peer.send(opcode, psn + random.nextInt(5) - 2, random.nextBoolean(), length, random.nextBoolean()
                ? random.nextInt() : (int) (address >>> 32), (int) address, random.nextInt(8) == 0 ? random.nextInt()
                : peer.region.rkey, random.nextBoolean() ? length : random.nextInt(), random.nextInt(),
                    random.nextInt());
            psn += random.nextInt(2);
            while (peer.cq.poll() != null) {
                // Makes room.
            }
            peer.came();
        }
        CampaignSeeds.count("packets", PACKETS);
        final byte[] after = new byte[123];
        peer.region.memory(0).buffer().getBytes(0, after);
        assertThat(after).as("in front of the region").isEqualTo(before);
        assertThat(peer.driver.device().counters().get(Counter.INTERNAL_ERRORS)).as(peer.driver.device()::describe)
            .isZero();
        peer.renew(RawQp.with().cq(peer.cq));
        peer.qp.connect(QPN + 1, peer.gid());
        receive(77);
        do {
            // What was said to the queue pairs before may still come; and where that fills a socket, a packet is lost.
            peer.answered(() -> peer.send(Opcode.SEND_ONLY, FIRST_PSN, true, 4));
        } while (Bth.destQp(peer.answer, 0) == QPN);
        assertThat(Bth.psn(peer.answer, 0)).isEqualTo(FIRST_PSN);
        assertThat(Aeth.syndrome(peer.answer, Bth.LENGTH)).isEqualTo(Aeth.ACK);
    }
}
