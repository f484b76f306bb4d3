/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.foreign.ForeignSocket;
import io.rdma4j.tools.foreign.PingpongHandshake;
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
import java.util.Locale;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * One end: a QP and its CQ. Knows which completions have to come, in which order, and what to say of others. Receive
 * number k has k modulo {@link #RECEIVES} as its wr_id, and messages come in the order of receives. For one thread at a
 * time.
 */
final class PingPongEnd implements CompletionHandler {
    /** One message is under way and another one may be about to be taken, so a receive is always there. */
    static final int RECEIVES = 2;
    private static final int QUEUE_DEPTH = 8;
    private static final int POLL_LIMIT = 4;
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
    private final QpTurn turn;

    private long posted;
    private long sent;
    private long received;
    private long taken;
    private final int[] arrivedBytes = new int[RECEIVES];
    private boolean failed;
    private WcStatus failedStatus;
    private long failedWrId;
    private int failedVendorError;

    /**
     * Sets an end up, with its QP ready to be connected.
     *
     * @param context     the device; what is made here goes when it is closed.
     * @param options     what is asked for.
     * @param repliesOnly whether this is the end that answers.
     */
    PingPongEnd(final RdmaContext context, final PingPongOptions options, final boolean repliesOnly) {
        this(context, options, repliesOnly, options.operation()::turn);
    }

    /** One that plays with a program of another project. */
    static PingPongEnd forIbverbs(
        final RdmaContext context, final PingPongOptions options, final boolean repliesOnly) {
        return new PingPongEnd(context, options, repliesOnly, IbverbsTurn::new);
    }

    private PingPongEnd(final RdmaContext context, final PingPongOptions options, final boolean repliesOnly,
        final Function<PingPongEnd, QpTurn> player) {
        options.operation().requireOn(context, "ping-pong", options.operation().title(), "--op send");
        this.options = options;
        this.context = context;
        this.repliesOnly = repliesOnly;
        pd = context.allocatePd();
        cq = context.createCq(2 * QUEUE_DEPTH);
        waiter = options.pace().mode() == WaitMode.BLOCK ? CompletionWaiter.blocking(cq) : null;
        qp = pd.createQp(new QpOptions().type(options.transport()).cq(cq)
            .maxSendWr(QUEUE_DEPTH).maxReceiveWr(QUEUE_DEPTH));
        turn = player.apply(this);
    }

    PingPongOptions options() {
        return options;
    }

    RdmaContext context() {
        return context;
    }

    ProtectionDomain pd() {
        return pd;
    }

    int qpNumber() {
        return qp.qpNumber();
    }

    QpTurn turn() {
        return turn;
    }

    /** Answers for this end. */
    Responder responder() {
        return new Responder(this::poll, turn);
    }

    boolean repliesOnly() {
        return repliesOnly;
    }

    /** How it meets the other end. */
    Meeting meeting() {
        final PingPongIntroduction own = PingPongIntroduction.of(this);
        final QpAttributes attributes =
            new QpAttributes().accessFlags(Set.of(options.operation().rights()));
        final Meeting.Party party = new Meeting.Party(qp, attributes, own.toBytes(), (peer, introduction) -> {
            final PingPongIntroduction theirs = PingPongIntroduction.parse(introduction);
            own.requireMatch(theirs);
            if (theirs.memory().size() < turn.borrows()) {
                throw RdmaException.of("ping-pong").device(context.address())
                    .detail("the other side lends %d pieces of memory, needed are %d", theirs.memory().size(),
                        turn.borrows())
                    .errno(RdmaException.EINVAL).build();
            }
            turn.meet(peer, theirs.memory());
        });
        return new Meeting("ping-pong", List.of(party), options.mtu(), 0, options.timeout());
    }

    /** Meets a program of another project over a TCP connection. */
    QpAddress meet(final ForeignSocket socket) {
        return repliesOnly ? PingpongHandshake.asServer(socket, qp.localAddress(), this::connect)
            : PingpongHandshake.asClient(socket, qp.localAddress(), this::connect);
    }

    /** Those programs take 1024 for the path MTU if they are not told. */
    private void connect(final QpAddress peer) {
        if (options.transport() == QpType.UD) {
            QpConnector.activate(qp, PingpongHandshake.QKEY);
        } else {
            final Mtu active = context.queryPort(1).activeMtu();
            final Mtu usual = active.compareTo(Mtu.MTU_1024) < 0 ? active : Mtu.MTU_1024;
            QpConnector.connect(qp, peer, new QpAttributes().pathMtu(options.mtu() == null ? usual : options.mtu()));
        }
        turn.meet(peer, List.of());
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
        if (completion.status() == WcStatus.SUCCESS && wrId == received % RECEIVES
            && received - taken < RECEIVES) {
            arrivedBytes[(int) wrId] = completion.byteLength();
            received++;
        } else if (completion.status() == WcStatus.SUCCESS && wrId == (SEND_TAG | sent) && sent < posted) {
            sent++;
        } else if (!failed) {
            failed = true;
            failedStatus = completion.status();
            failedWrId = wrId;
            failedVendorError = completion.vendorError();
        }
    }

    /** Whether everything that was posted to the send queue is done with, so that its memory can be used again. */
    boolean isIdle() {
        return sent == posted;
    }

    /** Whether a message came that was not taken yet. */
    boolean hasMessage() {
        return received > taken;
    }

    /** Length of the message to be taken next, with its header. */
    int arrivedBytes() {
        return arrivedBytes[(int) (taken % RECEIVES)];
    }

    /**
     * Takes the message that came.
     *
     * @return the wr_id of its receive, which can be posted again.
     */
    int take() {
        return (int) (taken++ % RECEIVES);
    }

    void post(final SendRequest request) {
        check(qp.postSend(request.wrId(SEND_TAG | posted)), "post send");
        posted++;
    }

    void post(final ReceiveRequest receive) {
        check(qp.postReceive(receive), "post receive");
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
        if (failedStatus == WcStatus.SUCCESS) {
            return failure("poll", "unexpected completion with wr_id 0x%x; awaited were %s", failedWrId,
                waitingFor(true));
        }
        final boolean isSend = (failedWrId & SEND_TAG) != 0;
        return failure(isSend ? options.operation().option() : "receive",
            "completion of wr_id 0x%x has status %s, vendor_err 0x%x", failedWrId, failedStatus, failedVendorError);
    }

    /** What to throw when something came that is not what it should be. */
    RdmaException corrupted(final String what, final long iteration, final String detail, final Object... args) {
        return failure("validate data", "%s round trip %d: %s", what, iteration,
            String.format(Locale.ROOT, detail, args));
    }

    /** Throws if what came in a round trip is not what the pattern says: at a place in a message of so many bytes. */
    void check(final UnsafeBuffer buffer, final int offset, final int length, final int whole, final long message,
        final String what, final long iteration) {
        final int place = Pattern.firstDifference(buffer, offset, length, message);
        if (place != Pattern.NONE) {
            throw corrupted(what, iteration, "%s", Pattern.describe(buffer, offset, whole, message, place));
        }
    }

    /** What comes to this end in a round trip, for messages to people. */
    String wayHere() {
        return repliesOnly ? "way out of" : "way back of";
    }

    private RdmaException failure(final String operation, final String detail, final Object... args) {
        return RdmaException.of(operation).device(context.address()).object(this).detail(detail, args)
            .errno(RdmaException.EIO).build();
    }

    /**
     * What has not come yet, for messages to people.
     *
     * @param receives whether messages come to this end.
     */
    String waitingFor(final boolean receives) {
        final String send = sent < posted ? String.format("wr_id 0x%x (send)", SEND_TAG | sent) : "";
        if (!receives) {
            return send;
        }
        return String.format("wr_id 0x%x (receive)%s", received % RECEIVES, send.isEmpty() ? "" : " and " + send);
    }

    /** What it is and what it waits for, for messages to people. */
    String state() {
        return this + " waits for " + turn.waitingFor();
    }

    @Override
    public String toString() {
        return String.format("%s QP 0x%06x", options.transport(), qp.qpNumber());
    }
}
