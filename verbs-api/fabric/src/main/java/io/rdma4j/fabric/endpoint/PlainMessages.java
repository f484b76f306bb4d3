/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.verbs.Completion;

import org.agrona.DirectBuffer;

/** Each message is one of the device, and each receive is in its hands. */
final class PlainMessages implements Messages {
    private final RcLink link;
    private final OpRing sends;
    private final OpRing receives;
    private final MessageLane lane;
    private final MessageForms forms;

    PlainMessages(final RcLink link, final OpRing sends, final OpRing receives) {
        this.link = link;
        this.sends = sends;
        this.receives = receives;
        this.lane = new MessageLane(link, sends, receives);
        this.forms = new MessageForms(lane, link.rules());
    }

    @Override
    public void joined() {
        lane.ports(link.transmitPort(), link.receivePort());
    }

    @Override
    public void connected() {
        lane.connected();
    }

    @Override
    public void giveUp() {
        lane.giveUp();
    }

    @Override
    public int send(
        final long address, final int length, final MemoryRegion desc, final Object owner, final long context) {
        return lane.send(address, length, desc, owner, context);
    }

    @Override
    public int sendWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long context) {
        return lane.sendWithData(address, length, desc, null, data, context);
    }

    @Override
    public int inject(
        final DirectBuffer buffer, final int offset, final int length, final boolean withData, final int data) {
        return forms.inject(buffer, offset, length, withData, data);
    }

    @Override
    public int send(final Message message, final long flags) {
        return forms.send(message, flags);
    }

    @Override
    public int receive(
        final long address, final int length, final MemoryRegion desc, final Object owner, final long context) {
        return lane.receive(address, length, desc, owner, context);
    }

    @Override
    public int receive(final Message message, final long flags) {
        return forms.receive(message, flags);
    }

    @Override
    public int cancel(final long context) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public void setopt(final EndpointOption option, final long value) {
        throw EndpointSettings.unknown(EndpointSettings.SET, link.endpoint(), option);
    }

    @Override
    public long getopt(final EndpointOption option) {
        throw EndpointSettings.unknown(EndpointSettings.GET, link.endpoint(), option);
    }

    @Override
    public TaggedMessages tagged() {
        return null;
    }

    @Override
    public void completed(final int what, final int slot, final Completion completion) {
        lane.completed(what, slot, completion);
    }

    @Override
    public boolean progress(final FabricCompletionQueue read) {
        return lane.progress();
    }

    @Override
    public int arm() {
        return 0;
    }

    @Override
    public boolean isPending() {
        return lane.isMending();
    }

    @Override
    public void triggers(final TriggeredWork work) {
        // Only tagged messages are started past the endpoint.
    }

    @Override
    public boolean isStill() {
        return !sends.hasUnderWay();
    }

    @Override
    public long idleNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public long mended() {
        return lane.mended();
    }

    @Override
    public void release() {
        sends.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
        receives.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
    }

    @Override
    public String toString() {
        return lane.toString();
    }
}
