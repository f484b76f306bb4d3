/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One end: its lanes, one CQ for all their sends and one for all their receives, and the lane for words. Everything is
 * closed together with its device. For one thread at a time.
 */
final class PerfEnd {
    private static final int POLL_LIMIT = 64;
    /** A latency test has one message under way; the queue has some more, as slots may come back late. */
    private static final int SHORTEST_QUEUE = 8;

    private final RdmaContext context;
    private final PerfOptions options;
    private final boolean answers;
    private final CompletionQueue sendCq;
    private final CompletionQueue receiveCq;
    private final Lane[] lanes;
    private final ProtectionDomain pd;
    /** Null until it is asked for: only an end of ours has its like. */
    private ControlChannel control;
    private final CompletionHandler onSend = this::sent;
    private final CompletionHandler onReceive = this::received;
    private long completed;
    private long receivedInAll;
    private String failure;

    /**
     * Sets an end up, with its QPs ready to be connected.
     *
     * @param context the device.
     * @param options what is asked for.
     * @param answers whether this is the end that answers.
     */
    PerfEnd(final RdmaContext context, final PerfOptions options, final boolean answers) {
        final Operation operation = options.operation();
        operation.requireOn(context, "perf", operation.isAtomic() ? "atomic" : operation.title(),
            "send_lat, send_bw or msg_rate");
        this.context = context;
        this.options = options;
        this.answers = answers;
        final PerfOptions.Queues queues = options.queues();
        pd = context.allocatePd();
        final int sends = Math.max(SHORTEST_QUEUE, queues.txDepth());
        final int receives = hasReceives() ? queues.rxDepth() : 1;
        sendCq = cq(context, (long) queues.qps() * sends);
        receiveCq = cq(context, (long) queues.qps() * receives);
        lanes = new Lane[queues.qps()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane(i, pd, pd.createQp(new QpOptions().sendCq(sendCq).receiveCq(receiveCq)
                .maxSendWr(sends).maxReceiveWr(receives).maxInline(queues.inline())), options);
        }
    }

    /** With room for twice as much, where there is: such a queue is faster. */
    private static CompletionQueue cq(final RdmaContext context, final long needed) {
        final long most = Math.max(needed, context.attributes().maxCqe());
        return context.createCq((int) Math.min(Math.min(2 * needed, most), Integer.MAX_VALUE));
    }

    private boolean hasReceives() {
        return options.operation() == Operation.SEND && (answers || options.test().isLatency());
    }

    RdmaContext context() {
        return context;
    }

    ControlChannel control() {
        if (control == null) {
            control = new ControlChannel(pd);
        }
        return control;
    }

    Lane[] lanes() {
        return lanes.clone();
    }

    Lane lane() {
        return lanes[0];
    }

    /** How it meets the other end: first the QP for words, then lane by lane. */
    Meeting meeting() {
        final List<Meeting.Party> parties = new ArrayList<>();
        parties.add(party(0, control().qp(), RemoteMemory.NONE, theirs -> control.listen()));
        for (int i = 0; i < lanes.length; i++) {
            final Lane lane = lanes[i];
            parties.add(party(1 + i, lane.qp(), lane.lent(), theirs -> meet(lane, theirs)));
        }
        return new Meeting("perf", parties, options.queues().mtu(), answers ? 0 : options.queues().outs(),
            options.timeout());
    }

    private void meet(final Lane lane, final RemoteMemory theirs) {
        lane.meet(theirs);
        if (hasReceives()) {
            lane.replenish();
        }
    }

    private Meeting.Party party(
        final int number, final QueuePair qp, final RemoteMemory lent, final Consumer<RemoteMemory> meet) {
        final PerfIntroduction own = new PerfIntroduction(number, options.game(), lent);
        return new Meeting.Party(qp, attributes(PerfOptions.MOST_OUTS), own.toBytes(), (peer, introduction) -> {
            final PerfIntroduction theirs = PerfIntroduction.parse(introduction);
            own.requireMatch(theirs);
            meet.accept(theirs.lent());
        });
    }

    private QpAttributes attributes(final int mostOuts) {
        final int asked = options.queues().outs() == 0 ? PerfOptions.MOST_OUTS : options.queues().outs();
        return new QpAttributes()
            .accessFlags(Set.of(options.operation().rights()))
            .maxRdAtomic(Math.min(Math.min(asked, mostOuts), context.attributes().maxQpInitRdAtom()))
            .maxDestRdAtomic(outsLent());
    }

    /** READs and atomics of the other end that may be under way. */
    int outsLent() {
        return Math.min(PerfOptions.MOST_OUTS, context.attributes().maxQpRdAtom());
    }

    /**
     * Connects the lane, of which there is one, with a QP of another program.
     *
     * @param peer   where it is.
     * @param mtu    path MTU that both can.
     * @param outs   READs and atomics that it takes.
     * @param memory what it lends.
     */
    void connect(final QpAddress peer, final Mtu mtu, final int outs, final RemoteMemory memory) {
        QpConnector.connect(lane().qp(), peer, attributes(outs).pathMtu(mtu));
        meet(lane(), memory);
    }

    /** Whether messages of a size have room here, and can be seen to have come. */
    boolean canTake(final int bytes) {
        return bytes >= (options.test() == PerfTest.WRITE_LAT ? 1 : 0) && bytes <= options.load().largest();
    }

    /** Makes the requests of a size. */
    void aim(final int bytes) {
        for (final Lane lane : lanes) {
            lane.aim(options.operation().opcode(), bytes);
        }
    }

    /**
     * Looks for completions of what was posted.
     *
     * @return how many there were.
     * @throws RdmaException EIO if one of them is an error, or the device failed.
     */
    int pollSends() {
        return checked(sendCq.poll(onSend, POLL_LIMIT));
    }

    /**
     * Looks for messages.
     *
     * @return how many there were.
     * @throws RdmaException EIO if one of them is an error, or the device failed.
     */
    int pollReceives() {
        return checked(receiveCq.poll(onReceive, POLL_LIMIT));
    }

    private int checked(final int polled) {
        if (polled < 0 || failure != null) {
            throw failed(polled);
        }
        return polled;
    }

    private RdmaException failed(final int polled) {
        final String device = context.failure();
        return RdmaException.of(failure == null ? "poll" : options.test().option()).device(context.address())
            .object(this)
            .detail("%s%s", failure == null ? "returned " + ReturnCode.nameOf(polled) : failure,
                device == null ? "" : ": " + device)
            .errno(RdmaException.EIO).build();
    }

    private void sent(final Completion completion) {
        final long wrId = completion.wrId();
        final int index = Lane.indexOf(wrId);
        final long news = completion.status() == WcStatus.SUCCESS && index >= 0 && index < lanes.length
            ? lanes[index].complete(Lane.numberOf(wrId)) : -1;
        if (news < 0) {
            fail(completion, "send");
        } else {
            completed += news;
        }
    }

    private void received(final Completion completion) {
        final long wrId = completion.wrId();
        if (completion.status() != WcStatus.SUCCESS || wrId < 0 || wrId >= lanes.length) {
            fail(completion, "receive");
            return;
        }
        final Lane lane = lanes[(int) wrId];
        if (completion.byteLength() != lane.bytes()) {
            fail(completion, completion.byteLength() + " bytes instead of " + lane.bytes() + " arrived;");
            return;
        }
        lane.receive();
        receivedInAll++;
    }

    private void fail(final Completion completion, final String what) {
        if (failure == null) {
            failure = String.format("%s completion of wr_id 0x%x has status %s, vendor_err 0x%x", what,
                completion.wrId(), completion.status(), completion.vendorError());
        }
    }

    /** Requests done, of all lanes. */
    long completed() {
        return completed;
    }

    /** Messages that came, of all lanes. */
    long received() {
        return receivedInAll;
    }

    @Override
    public String toString() {
        final List<String> text = new ArrayList<>();
        for (final Lane lane : lanes) {
            text.add(lane.toString());
        }
        return (answers ? "server " : "client ") + String.join(", ", text) + (control == null ? "" : ", " + control);
    }
}
