/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * Behaves as ibv_rc_pingpong and ibv_ud_pingpong do: 52 bytes of text, one buffer for what comes and for what goes,
 * each side counts. Made of this project's verbs, but of nothing of its tools.
 */
final class SingleBufferProgram implements AutoCloseable {
    private static final int QKEY = 0x11111111;
    private static final int GRH = 40;
    private static final int TEXT = 52;
    private static final int FILL_OF_CLIENT = 0x7b;
    private static final long DEADLINE_SECONDS = 60;

    private final RdmaContext context;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final PinnedMemory buffer;
    private final ReceiveRequest receive;
    private final SendRequest send;
    private final int size;
    /** Breaks the message with this number; 0 for none. */
    private final int spoils;
    private int sent;
    private int received;

    SingleBufferProgram(final String device, final boolean datagrams, final int size, final int spoils) {
        this.size = size;
        this.spoils = spoils;
        context = RdmaDevices.open(device);
        pd = context.allocatePd();
        cq = context.createCq(16);
        qp = pd.createQp(new QpOptions().type(datagrams ? QpType.UD : QpType.RC).cq(cq).maxSendWr(4)
            .maxReceiveWr(4));
        buffer = context.allocate(GRH + size);
        final MemoryRegion region = pd.register(buffer, AccessFlag.LOCAL_WRITE);
        final int header = datagrams ? GRH : 0;
        receive = new ReceiveRequest().sge(buffer.address() + GRH - header, header + size, region.lkey());
        send = new SendRequest().sge(buffer.address() + GRH, size, region.lkey());
        for (int i = 0; i < GRH + size; i++) {
            buffer.buffer(0, GRH + size).putByte(i, (byte) FILL_OF_CLIENT);
        }
    }

    void asClient(final Socket socket, final int iterations) throws IOException {
        socket.getOutputStream().write(text());
        meet(new DataInputStream(socket.getInputStream()).readNBytes(TEXT));
        socket.getOutputStream().write("done\0".getBytes(StandardCharsets.US_ASCII));
        qp.postSend(send);
        play(iterations, iterations - 1);
    }

    void asServer(final Socket socket, final int iterations) throws IOException {
        meet(new DataInputStream(socket.getInputStream()).readNBytes(TEXT));
        socket.getOutputStream().write(text());
        new DataInputStream(socket.getInputStream()).readNBytes(5);
        play(iterations, iterations);
    }

    private byte[] text() {
        final QpAddress own = qp.localAddress();
        return String.format("%04x:%06x:%06x:%s\0", 0, own.qpn(), own.psn(),
            HexFormat.of().formatHex(own.gid().bytes())).getBytes(StandardCharsets.US_ASCII);
    }

    private void meet(final byte[] text) {
        final String[] fields = new String(text, 0, TEXT - 1, StandardCharsets.US_ASCII).split(":");
        final QpAddress peer = new QpAddress(Gid.of(HexFormat.of().parseHex(fields[3])),
            Integer.parseInt(fields[1], 16), Integer.parseInt(fields[2], 16), QKEY);
        if (qp.type() == QpType.RC) {
            QpConnector.connect(qp, peer);
        } else {
            QpConnector.activate(qp, QKEY);
            send.to(pd.createAh(AhAttributes.to(peer.gid())), peer.qpn(), QKEY);
        }
        qp.postReceive(receive);
        qp.postReceive(receive);
    }

    /** Answers each message by one, so many of them, until all have come and gone. */
    private void play(final int messages, final int answers) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        int answered = 0;
        while (received < messages || sent < messages) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(received + " came and " + sent + " went of " + messages);
            }
            cq.poll(completion -> {
                if (completion.status() != WcStatus.SUCCESS) {
                    throw new AssertionError("completion has " + completion.status());
                }
                if (completion.opcode() == WcOpcode.RECV) {
                    received++;
                } else {
                    sent++;
                }
            }, 4);
            if (received > answered && answered < answers) {
                answered++;
                if (answered == spoils) {
                    buffer.buffer(0, GRH + size).putByte(GRH + size - 1,
                        (byte) ~buffer.buffer(0, GRH + size).getByte(GRH + size - 1));
                }
                qp.postReceive(receive);
                qp.postSend(send);
            }
            Thread.yield();
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
