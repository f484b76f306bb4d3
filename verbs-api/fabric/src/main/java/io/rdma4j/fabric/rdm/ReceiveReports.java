/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.Report;
import io.rdma4j.fabric.event.EndpointCounters;

/** What the application is told of its receives. For the thread that uses the endpoint. */
class ReceiveReports {
    /** Null for what no endpoint has got. */
    final Endpoint endpoint;
    final EndpointCounters counters;

    ReceiveReports(final Endpoint endpoint, final EndpointCounters counters) {
        this.endpoint = endpoint;
        this.counters = counters;
    }

    /** It has its message. */
    final void received(final RdmReceiveContext context, final Receive receive, final long source) {
        final int errno = receive.outcome();
        final Report report = context.queue().report()
            .set(endpoint, receive.kind(), receive.context, receive.taken()).source(source)
            .room(receive.whole == null ? context.room() : receive.home.partRoom()).tag(receive.messageTag);
        if (receive.hasData) {
            report.data(receive.data);
        }
        if (errno == 0) {
            counters.success(OperationKind.RECEIVE);
        } else {
            counters.failure(OperationKind.RECEIVE);
            report.failure(errno, ErrorDetails.of(errno));
            if (errno == FiErrno.FI_ETRUNC) {
                report.overflow(receive.overflow());
            }
        }
        final Receive whole = receive.whole;
        if (whole == null) {
            receive.home.giveBack(receive);
            report.commit();
        } else {
            final long at = receive.addresses[0];
            final boolean last = receive.home.leave(receive);
            report.buffer(at, last && !whole.isTakenBack).commit();
            if (last) {
                over(context, whole);
            }
        }
    }

    /** A buffer that took several messages takes no more: its last completion has told so, or this one does. */
    private void over(final RdmReceiveContext context, final Receive whole) {
        if (whole.isTakenBack) {
            context.owner().fail(whole, FiErrno.FI_ECANCELED, Failures.TAKEN_BACK);
        } else {
            whole.home.giveBack(whole);
            context.room().giveBack();
        }
    }

    private void unfinishedPart(final RdmReceiveContext context, final Receive part) {
        final Receive whole = part.whole;
        final Matcher home = part.home;
        final boolean isBack = home.giveUp(part);
        home.partRoom().giveBack();
        if (isBack) {
            home.goOn();
        } else if (whole.isSpent && whole.parts == 0 && whole.isTakenBack) {
            over(context, whole);
        } else if (whole.isSpent && whole.parts == 0) {
            // Nothing else tells that the buffer is the application's again.
            final Report report = context.queue().report().set(endpoint, OperationKind.RECEIVE, whole.context, 0)
                .buffer(whole.addresses[0], true).room(context.room());
            home.giveBack(whole);
            report.commit();
        }
    }

    /** Its message will never be complete. */
    final void unfinished(final RdmReceiveContext context, final Receive receive) {
        if (receive.whole != null) {
            unfinishedPart(context, receive);
        } else if (receive.once) {
            failed(context, receive, FiErrno.FI_ECONNRESET, Failures.RESET);
        } else {
            receive.home.postAgain(receive);
        }
    }

    /** It gets no message. */
    final void failed(final RdmReceiveContext context, final Receive receive, final int errno, final int detail) {
        final Report report = context.queue().report().set(endpoint, receive.kind(), receive.context, 0)
            .failure(errno, detail).room(context.room()).tag(receive.tag);
        if (receive.least > 0) {
            report.buffer(receive.addresses[0], true);
        }
        receive.home.giveBack(receive);
        counters.failure(OperationKind.RECEIVE);
        report.commit();
    }

    /** It was to look for this message, and takes nothing. */
    final void found(final RdmReceiveContext context, final Receive receive, final Slot first, final long source) {
        final Report report = context.queue().report()
            .set(endpoint, receive.kind(), receive.context, first.messageLength).source(source)
            .room(context.room()).tag(first.tag);
        if (first.hasData) {
            report.data(first.data);
        }
        receive.home.giveBack(receive);
        counters.success(OperationKind.RECEIVE);
        report.commit();
    }

    /** All that is posted is over. */
    final void cancelReceives(final RdmReceiveContext context, final int detail) {
        Receive receive = context.matcher().any();
        while (receive != null) {
            failed(context, receive, FiErrno.FI_ECANCELED, detail);
            receive = context.matcher().any();
        }
    }
}
