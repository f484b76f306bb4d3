/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

/** What a channel tells its endpoint, and needs of it. */
interface ChannelHost {
    /** The receive context; null if there is none of this number. */
    Matcher context(int rxIndex);

    /** How many receive contexts there are. */
    int contexts();

    /** What can be sent with. */
    SendTable sends();

    /** A receive has its message; it is not posted any more. */
    void received(Receive receive, Channel from);

    /** A receive was to look for this message, and takes nothing. */
    void found(Receive receive, Slot first);

    /** The message of this receive will never be complete. */
    void unfinished(Receive receive);

    /** An operation is over. */
    void sent(SendOp op, int errno);

    /** Both ends know each other. */
    void greeted(Channel channel);

    /** What waits for this connection shall be tried again. */
    void resume(Connection connection);

    /** There is something to do that has to wait: {@link Channel#progress()} is to be called. */
    void wants(Channel channel);

    /** The connection is of no use any more: {@link Channel#fail} is to be called, not now but soon. */
    void broken(Channel channel, String why);

    /** Both ends have agreed to close it. */
    void left(Channel channel);
}
