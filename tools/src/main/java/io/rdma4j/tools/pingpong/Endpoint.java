/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;

/**
 * One end: a QP, its CQ, the message to send and the slots to receive into. At most one message of each direction is
 * under way, so a receive is always posted before the peer can send. For one thread at a time.
 */
final class Endpoint implements CompletionHandler {
    private static final int RECEIVES = 2;
    private static final int QUEUE_DEPTH = 8;
    private static final int POLL_LIMIT = 4;
    private static final int GRH_BYTES = 40;
    private static final int QKEY = 0x11111111;
    private static final long SEND_TAG = 1L << 62;
    /** Whoever sleeps looks up now and then whether it is to go on. */
    private static final Duration NAP = Duration.ofMillis(10);

    private final PingPongOptions options;
    private final RdmaContext context;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    /** Null if the caller does the waiting. */
    private final CompletionWaiter waiter;
    private final QueuePair qp;
    private final boolean repliesOnly;
    private final int headerBytes;
    private final Slot outgoing;
    private final Slot[] incoming = new Slot[RECEIVES];
    private final ReceiveRequest[] receives = new ReceiveRequest[RECEIVES];
    private final SendRequest send = new SendRequest();

    private long posted;
    private long sent;
    private long received;
    private long taken;
    private int arrivedBytes;
    private boolean failed;
    private WcStatus failedStatus;
    private long failedWrId;
    private int failedVendorError;

    /**
     * Sets an end up, with its receives posted and its QP ready to be connected.
     *
     * @param context     the device; what is made here goes when it is closed.
     * @param options     what is asked for.
     * @param repliesOnly whether this is the end that answers.
     */
    Endpoint(final RdmaContext context, final PingPongOptions options, final boolean repliesOnly) {
        this.options = options;
        this.context = context;
        this.repliesOnly = repliesOnly;
        headerBytes = options.transport() == QpType.UD ? GRH_BYTES : 0;
        pd = context.allocatePd();
        cq = context.createCq(2 * QUEUE_DEPTH);
        waiter = options.pace().mode() == WaitMode.BLOCK ? CompletionWaiter.blocking(cq) : null;
        qp = pd.createQp(new QpOptions().type(options.transport()).cq(cq)
            .maxSendWr(QUEUE_DEPTH).maxReceiveWr(QUEUE_DEPTH));
        outgoing = new Slot(pd, options.size());
        send.sge(outgoing.address(), options.size(), outgoing.lkey());
        for (int i = 0; i < RECEIVES; i++) {
            final int length = headerBytes + options.size();
            incoming[i] = new Slot(pd, length);
            receives[i] = new ReceiveRequest().wrId(i).sge(incoming[i].address(), length, incoming[i].lkey());
        }
    }

    QpAddress address() {
        return qp.localAddress();
    }

    /**
     * Connects to the other end and posts the receives.
     *
     * @param peer   the other end's address.
     * @param active the port's MTU, for when none is asked for.
     */
    void connect(final QpAddress peer, final Mtu active) {
        if (options.transport() == QpType.RC) {
            QpConnector.connect(qp, peer, new QpAttributes().pathMtu(options.mtu() == null ? active : options.mtu()));
        } else {
            QpConnector.activate(qp, QKEY);
            send.to(pd.createAh(AhAttributes.to(peer.gid())), peer.qpn(), QKEY);
        }
        for (final ReceiveRequest receive : receives) {
            check(qp.postReceive(receive), "post receive");
        }
    }

    /**
     * Looks for completions, and sleeps for a short time until there are some if that is how to wait.
     *
     * @return how many there were.
     * @throws RdmaException EIO if one of them is an error or not expected, or if the device failed.
     */
    int poll() {
        final int completions =
            waiter == null ? cq.poll(this, POLL_LIMIT) : waiter.await(this, POLL_LIMIT, NAP);
        if (failed || completions < 0) {
            throw completions < 0 ? refused(completions, "poll") : failedCompletion();
        }
        return completions;
    }

    @Override
    public void onCompletion(final Completion completion) {
        final long wrId = completion.wrId();
        if (completion.status() == WcStatus.SUCCESS && wrId == received % RECEIVES && received == taken) {
            received++;
            arrivedBytes = completion.byteLength();
        } else if (completion.status() == WcStatus.SUCCESS && wrId == (SEND_TAG | sent) && sent < posted) {
            sent++;
        } else if (!failed) {
            failed = true;
            failedStatus = completion.status();
            failedWrId = wrId;
            failedVendorError = completion.vendorError();
        }
    }

    /** Whether a message came and the message sent before is done with, so that its memory can be written again. */
    boolean isReady() {
        return received > taken && sent == posted;
    }

    /**
     * Takes the message that came: checks it and posts its receive again.
     *
     * @param iteration number of the round trip.
     */
    void take(final long iteration) {
        final int slot = (int) (taken % RECEIVES);
        if (arrivedBytes != headerBytes + options.size()) {
            throw corrupted(iteration, "%d bytes arrived, %d were sent", arrivedBytes - headerBytes, options.size());
        }
        if (options.validate()) {
            validate(incoming[slot], iteration);
        }
        taken++;
        check(qp.postReceive(receives[slot]), "post receive");
    }

    private void validate(final Slot slot, final long iteration) {
        final long message = Pattern.messageNumber(iteration, !repliesOnly);
        final int place = Pattern.firstDifference(slot.buffer(), headerBytes, options.size(), message);
        if (place != Pattern.NONE) {
            throw corrupted(iteration, "byte %d of %d is 0x%02x instead of 0x%02x", place, options.size(),
                slot.buffer().getByte(headerBytes + place) & 0xff, Pattern.byteAt(place, message));
        }
    }

    /**
     * Sends this end's message.
     *
     * @param iteration number of the round trip.
     */
    void send(final long iteration) {
        if (options.validate()) {
            Pattern.fill(outgoing.buffer(), 0, options.size(), Pattern.messageNumber(iteration, repliesOnly));
        }
        send.wrId(SEND_TAG | posted);
        check(qp.postSend(send), "post send");
        posted++;
    }

    private void check(final int code, final String operation) {
        if (code < 0) {
            throw refused(code, operation);
        }
    }

    private RdmaException refused(final int code, final String operation) {
        final String failure = context.failure();
        return failure(operation, "returned %s%s", ReturnCode.nameOf(code), failure == null ? "" : ": " + failure);
    }

    private RdmaException failedCompletion() {
        final boolean isSend = (failedWrId & SEND_TAG) != 0;
        if (failedStatus == WcStatus.SUCCESS) {
            return failure("poll", "unexpected completion with wr_id 0x%x; awaited were %s", failedWrId, waitingFor());
        }
        return failure(isSend ? "send" : "receive", "completion of wr_id 0x%x has status %s, vendor_err 0x%x",
            failedWrId, failedStatus, failedVendorError);
    }

    private RdmaException corrupted(final long iteration, final String detail, final Object... args) {
        return failure("validate data", "%s round trip %d: %s", repliesOnly ? "way out of" : "way back of", iteration,
            String.format(detail, args));
    }

    private RdmaException failure(final String operation, final String detail, final Object... args) {
        return RdmaException.of(operation).device(context.address()).object(this).detail(detail, args)
            .errno(RdmaException.EIO).build();
    }

    /** What has not come yet, for messages to people. */
    String waitingFor() {
        return String.format("wr_id 0x%x (receive)%s", received % RECEIVES,
            sent < posted ? String.format(" and wr_id 0x%x (send)", SEND_TAG | sent) : "");
    }

    @Override
    public String toString() {
        return String.format("%s QP 0x%06x", options.transport(), qp.qpNumber());
    }
}
