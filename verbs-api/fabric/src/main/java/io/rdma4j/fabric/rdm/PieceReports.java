/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.Report;
import io.rdma4j.fabric.completion.Room;
import io.rdma4j.fabric.event.EndpointCounters;

/** What the application is told of messages that go in pieces. For the thread that uses the endpoint. */
final class PieceReports extends ReceiveReports {
    private final FabricCompletionQueue transmit;
    private final SendTable sends;
    private final Room room;

    PieceReports(
        final Endpoint endpoint, final EndpointCounters counters, final FabricCompletionQueue transmit,
        final SendTable sends, final Room room) {
        super(endpoint, counters);
        this.transmit = transmit;
        this.sends = sends;
        this.room = room;
    }

    /** Nothing of it is under way any more. */
    void over(final SendOp op, final int errno) {
        over(op, errno, ErrorDetails.of(errno));
    }

    /** The same, where more is known than the errno tells. */
    void over(final SendOp op, final int errno, final int detail) {
        if (errno == 0) {
            counters.success(op.kind);
        } else {
            counters.failure(op.kind);
        }
        if (errno == 0 && !op.reported) {
            room.giveBack();
        } else {
            final Report report = transmit.report().set(endpoint, op.kind, op.context, op.total).room(room);
            if (errno != 0) {
                report.failure(errno, detail);
            }
            report.commit();
        }
        sends.giveBack(op);
    }

    /** It was not started: the application was told so. */
    void abandon(final SendOp op) {
        sends.giveBack(op);
        room.giveBack();
    }

    /** The endpoint is closed: all that is under way is over. */
    void cancelSends() {
        while (sends.oldest() != null) {
            over(sends.oldest(), FiErrno.FI_ECANCELED);
        }
    }

    /** The connection is over, and with it all that is under way. */
    void loseSends(final int errno) {
        while (sends.oldest() != null) {
            final SendOp op = sends.oldest();
            // The peer may have what was with the device as a whole, and its word was on the way.
            final int its = op.cut && op.wantsDelivery() ? FiErrno.FI_ECONNRESET : errno;
            over(op, its, its == FiErrno.FI_ECANCELED ? Failures.LANE_LOST : ErrorDetails.of(its));
        }
    }
}
