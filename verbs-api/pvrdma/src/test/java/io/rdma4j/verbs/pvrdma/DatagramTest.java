/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Av;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Proxy;
import java.util.stream.IntStream;

/** What the device is told of a datagram, and what is refused before. */
class DatagramTest {
    private static final int INDEX = 2;
    private static final int SLOTS = 4;
    private static final int NOBODY = 0xffffff;

    @RegisterExtension
    final Devices devices = new Devices();

    private Peer peer;
    private Gid destination;
    private AddressHandle handle;

    @BeforeEach
    void open() {
        final PvrdmaContext device = devices.open();
        device.bindGid(INDEX, Gid.parse("2001:db8::9"));
        peer = new Peer(device, new QpOptions().type(QpType.UD).maxSendWr(SLOTS).maxInline(64));
        QpConnector.activate(peer.qp, Peer.QKEY);
        destination = devices.open().queryGid(1, 0);
        handle = peer.pd.createAh(new AhAttributes(destination, INDEX, 9, 0, 0, 0, 1));
    }

    private SendRequest datagram() {
        return new SendRequest().sge(peer.at(0), 8, peer.lkey()).to(handle, NOBODY, 1);
    }

    private Wqe posted(final SendRequest request) {
        assertThat(peer.qp.postSend(request)).as("%s", request).isZero();
        return Wqe.last(peer.qp);
    }

    @Test
    void namesTheQpAndTheWayToIt() {
        final Wqe wqe = posted(datagram());
        assertThat(wqe.word(SqWqe.UD_REMOTE_QPN_OFFSET)).isEqualTo(NOBODY);
        final byte[] dgid = new byte[16];
        wqe.buffer().getBytes(wqe.at() + SqWqe.UD_AV_OFFSET + Av.DGID_OFFSET, dgid);
        assertThat(dgid).isEqualTo(destination.bytes());
        assertThat(SqWqe.gidIndex(wqe.buffer(), wqe.at())).as("the handle's").isEqualTo(INDEX);
        assertThat(wqe.word(SqWqe.IMM_DATA_OFFSET)).isZero();
    }

    @Test
    void carriesImmediateDataInNetworkOrderIfItHasSome() {
        final SendRequest request = datagram().immData(0x0102_0304);
        assertThat(posted(request).word(SqWqe.IMM_DATA_OFFSET)).as("SEND").isZero();
        final Wqe wqe = posted(request.opcode(SendOpcode.SEND_WITH_IMM));
        assertThat(wqe.word(SqWqe.IMM_DATA_OFFSET)).isEqualTo(0x0403_0201);
    }

    /** A key with the top bit set stands for the QP's own; 0 is a key as any other. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "2147483647, 2147483647", "-2147483648, 4660", "-1, 4660"})
    void carriesTheKeyThatIsGivenOrTheQpsOwn(final int given, final int expected) {
        assertThat(Peer.QKEY).isEqualTo(4660);
        assertThat(posted(datagram().to(handle, NOBODY, given)).word(SqWqe.UD_REMOTE_QKEY_OFFSET))
            .isEqualTo(expected);
    }

    private byte[] header(final SendRequest request) {
        final Wqe wqe = posted(request);
        Completions.await(peer.cq, 1);
        final byte[] header = new byte[SqWqe.HEADER_LENGTH - SqWqe.NUM_SGE_OFFSET];
        wqe.buffer().getBytes(wqe.at() + SqWqe.NUM_SGE_OFFSET, header);
        return header;
    }

    @Test
    void nothingIsLeftOfTheOneThatWasInItsSlotBefore() {
        final Gid elsewhere = devices.open().queryGid(1, 0);
        final AddressHandle other = peer.pd.createAh(new AhAttributes(elsewhere, 0, 63, 5, 7, 1, 1));
        final byte[] first = header(datagram());
        for (int i = 1; i < SLOTS; i++) {
            header(datagram());
        }
        for (int i = 0; i < SLOTS; i++) {
            header(datagram().opcode(SendOpcode.SEND_WITH_IMM).immData(-1).to(other, 77, 0x7777_7777));
        }
        assertThat(header(datagram())).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 24, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void goesToNoQpThatCannotBe(final int qpn) {
        assertThat(peer.qp.postSend(datagram().to(handle, qpn, 1))).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(((PvrdmaQp) peer.qp).sends.queue.outstanding()).isZero();
    }

    @Test
    void aHandleOfAnotherMakerIsForeign() {
        final AddressHandle other = (AddressHandle) Proxy.newProxyInstance(AddressHandle.class.getClassLoader(),
            new Class<?>[] {AddressHandle.class}, (proxy, method, arguments) -> null);
        assertThat(peer.qp.postSend(datagram().to(other, NOBODY, 1))).isEqualTo(ReturnCode.FOREIGN_OBJECT);
    }

    @Test
    void aFullQueueIsTold() {
        for (int i = 0; i < SLOTS; i++) {
            posted(datagram().wrId(i));
        }
        assertThat(peer.qp.postSend(datagram())).isEqualTo(ReturnCode.QUEUE_FULL);
        final SendRequest payload = new SendRequest().inline(new UnsafeBuffer(new byte[8]), 0, 8);
        assertThat(peer.qp.postSend(payload.to(handle, NOBODY, 1))).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(Completions.await(peer.cq, SLOTS)).extracting(Completions.Copy::wrId)
            .containsExactlyElementsOf(IntStream.range(0, SLOTS).mapToObj(i -> (long) i).toList());
    }
}
