/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WindowType;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/** A connection from another GID than the first: some devices look for its index in each request. */
class GidIndexTest {
    private static final int INDEX = 3;
    private static final int SLOTS = 8;
    private static final int SGE = SqWqe.SGE_OFFSET;

    @RegisterExtension
    final Devices devices = new Devices();

    private Peer a;
    private Peer b;

    @BeforeEach
    void connect() {
        final PvrdmaContext device = devices.open();
        device.bindGid(INDEX, Gid.parse("2001:db8::7"));
        a = new Peer(device, new QpOptions().maxSendWr(SLOTS).maxSendSge(2).maxInline(64));
        b = Peer.rc(devices.open());
        QpConnector.connect(a.qp, b.qp.localAddress(), new QpAttributes().ah(way(INDEX)));
        QpConnector.connect(b.qp, a.qp.localAddress());
    }

    private AhAttributes way(final int sgidIndex) {
        return new AhAttributes(b.qp.localAddress().gid(), sgidIndex, 64, 0, 0, 0, 1);
    }

    private void receives(final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(b.qp.postReceive(i, b.at(64 * i), 64, b.lkey())).isZero();
        }
    }

    private SendRequest send() {
        return new SendRequest(2).addSge(a.at(0), 8, a.lkey());
    }

    /** One of each way to post, each of which can be repeated. */
    private Map<String, IntSupplier> posts() {
        final UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
        final MemoryWindow window = a.pd.allocateWindow(WindowType.TYPE_1);
        final MemoryRegion bindable = a.pd.register(a.memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        final Map<String, IntSupplier> posts = new LinkedHashMap<>();
        posts.put("message", () -> a.qp.postSend(1, a.at(0), 8, a.lkey()));
        posts.put("payload", () -> a.qp.postSendInline(2, payload, 0, 8));
        posts.put("request", () -> a.qp.postSend(send()));
        posts.put("two elements", () -> a.qp.postSend(send().addSge(a.at(8), 8, a.lkey())));
        posts.put("write",
            () -> a.qp.postSend(send().opcode(SendOpcode.RDMA_WRITE).remote(b.at(4096), b.region.rkey())));
        posts.put("request with payload", () -> a.qp.postSend(new SendRequest().inline(payload, 0, 8)));
        posts.put("binding", () -> a.qp.bindWindow(3, window, bindable, a.at(0), 8, AccessFlag.REMOTE_READ));
        return posts;
    }

    /** Addresses are exchanged before anybody connects. */
    @Test
    void isForgottenInReset() {
        final Gid first = a.context.queryGid(1, 0);
        assertThat(a.qp.localAddress().gid()).isEqualTo(a.context.queryGid(1, INDEX));
        a.qp.modify(QpAttributes.to(QpState.RESET));
        b.qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(a.qp.localAddress().gid()).isEqualTo(first);
        final QpAddress ofA = a.qp.localAddress();
        QpConnector.connect(a.qp, b.qp.localAddress());
        QpConnector.connect(b.qp, ofA);
        receives(1);
        assertThat(a.qp.postSend(send())).isZero();
        assertLastNames(0, "request");
        Completions.awaitSuccess(a.cq);
    }

    @Test
    void theQueueKeyIsForgottenInReset() {
        final Peer datagrams = Peer.ud(devices.open());
        assertThat(datagrams.qp.localAddress().qkey()).isEqualTo(Peer.QKEY);
        datagrams.qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(datagrams.qp.localAddress().qkey()).isZero();
    }

    private void assertLastNames(final int index, final String post) {
        final Wqe wqe = Wqe.last(a.qp);
        assertThat(SqWqe.gidIndex(wqe.buffer(), wqe.at())).as("GID index of the %s", post).isEqualTo(index);
    }

    @Test
    void isInEachRequest() {
        receives(SLOTS);
        posts().forEach((name, post) -> {
            assertThat(post.getAsInt()).as(name).isEqualTo(ReturnCode.OK);
            assertLastNames(INDEX, name);
            Completions.awaitSuccess(a.cq);
        });
    }

    @Test
    void changesNothingElseOfAMessage() {
        receives(1);
        a.fill(100, 20, 5);
        assertThat(a.qp.postSend(-7, a.at(100), 20, a.lkey())).isZero();
        final Wqe wqe = Wqe.last(a.qp);
        assertThat(new int[] {wqe.opcode(), wqe.flags(), wqe.numSge()}).as("SEND, signaled, one element")
            .containsExactly(2, 2, 1);
        assertThat(wqe.quad(SGE)).isEqualTo(a.at(100));
        assertThat(new int[] {wqe.word(SGE + 8), wqe.word(SGE + 12)}).containsExactly(20, a.lkey());
        final Completions.Copy sent = Completions.awaitSuccess(a.cq);
        assertThat(sent.wrId()).isEqualTo(-7);
        assertThat(sent.bytes()).isEqualTo(20);
        assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(20);
        assertThat(b.firstDifference(0, 20, 5)).isEqualTo(-1);
    }

    @Test
    void aFullQueueIsToldWhateverIsPosted() {
        final Map<String, IntSupplier> posts = posts();
        for (int i = 0; i < SLOTS; i++) {
            assertThat(a.qp.postSend(i, a.at(0), 8, a.lkey())).isZero();
        }
        posts.forEach((name, post) -> assertThat(post.getAsInt()).as(name).isEqualTo(ReturnCode.QUEUE_FULL));
    }

    /** The device may come to look at what is left in the slot of a request that names none. */
    @Test
    void isNotLeftInTheSlotForLaterRequests() {
        receives(SLOTS);
        for (int i = 0; i < SLOTS; i++) {
            assertThat(a.qp.postSend(send())).isZero();
            assertLastNames(INDEX, "request");
            Completions.awaitSuccess(a.cq);
        }
        a.qp.modify(QpAttributes.to(QpState.SQD));
        a.qp.modify(QpAttributes.to(QpState.SQD).ah(way(0)));
        a.qp.modify(QpAttributes.to(QpState.RTS));
        for (int i = 0; i < SLOTS; i++) {
            assertThat(a.qp.postSend(send())).isZero();
            assertLastNames(0, "request in slot " + i);
        }
    }
}
