/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import org.agrona.DirectBuffer;

/**
 * Send work requests that were encoded once, to be posted many times: a post checks them as any other and copies them
 * into the send queue as they are, with one doorbell for all. Between posts single fields can be changed in place.
 *
 * <pre>{@code
 *   SendTemplate write = qp.prepare(new SendRequest().opcode(SendOpcode.RDMA_WRITE)
 *       .sge(address, 64, lkey).remote(peerAddress, peerKey));
 *   ...
 *   write.address(0, 0, address + slot * 64).wrId(0, slot);
 *   int posted = write.post();
 * }</pre>
 *
 * <p>The template is a copy: the requests that it was made from can be used for something else. It holds on to the
 * objects that they name, such as address handles, but keeps none of them open, nor the QP: a post that needs one which
 * was closed is refused, as for requests posted singly. So is everything else that a post depends on looked at when it
 * happens: the QP's state, its GID index and its Q_Key.
 *
 * <p>For the thread that posts to the send queue, no other: neither posts nor setters. Neither allocates. What a setter
 * refuses it leaves as it was. Requests are counted from 0 in the order in which they were given; so are their
 * scatter/gather elements, whose number stays as it is. There is nothing to close.
 */
public interface SendTemplate {
    /**
     * Where it is posted.
     *
     * @return the QP.
     */
    QueuePair queuePair();

    /**
     * How many requests it has.
     *
     * @return 1 or more.
     */
    int size();

    /**
     * Sets what comes back in the completion.
     *
     * @param i     which request.
     * @param value any value.
     * @return this.
     * @throws IllegalArgumentException if there is no such request.
     */
    SendTemplate wrId(int i, long value);

    /**
     * Sets where an element begins.
     *
     * @param i     which request.
     * @param sge   which of its elements.
     * @param value first byte.
     * @return this.
     * @throws IllegalArgumentException if there is no such request or element.
     */
    SendTemplate address(int i, int sge, long value);

    /**
     * Sets the size of an element.
     *
     * @param i     which request.
     * @param sge   which of its elements.
     * @param value bytes, 0 or more; whether the message is too long is found out when it is posted.
     * @return this.
     * @throws IllegalArgumentException if there is no such request or element, or the value is negative.
     */
    SendTemplate length(int i, int sge, int value);

    /**
     * Sets the key of an element.
     *
     * @param i     which request.
     * @param sge   which of its elements.
     * @param value key of the region that holds it.
     * @return this.
     * @throws IllegalArgumentException if there is no such request or element.
     */
    SendTemplate lkey(int i, int sge, int value);

    /**
     * Sets where an RDMA operation or an atomic goes.
     *
     * @param i       which request.
     * @param address the peer's address.
     * @param rkey    the peer's remote key.
     * @return this.
     * @throws IllegalArgumentException if there is no such request, or its operation goes to no remote address.
     */
    SendTemplate remote(int i, long address, int rkey);

    /**
     * Sets the immediate data.
     *
     * @param i     which request.
     * @param value 32 bits.
     * @return this.
     * @throws IllegalArgumentException if there is no such request, or its operation has no immediate data.
     */
    SendTemplate immData(int i, int value);

    /**
     * Sets the key to invalidate.
     *
     * @param i    which request.
     * @param rkey of this side's for {@link SendOpcode#LOCAL_INV} and {@link SendOpcode#RDMA_READ_WITH_INV}, of the
     *             peer's for {@link SendOpcode#SEND_WITH_INV}.
     * @return this.
     * @throws IllegalArgumentException if there is no such request, or its operation invalidates nothing.
     */
    SendTemplate invalidate(int i, int rkey);

    /**
     * Sets the key that a binding or a fast registration gives.
     *
     * @param i   which request.
     * @param key see {@link SendRequest#newKey(int)}.
     * @return this.
     * @throws IllegalArgumentException if there is no such request, or its operation gives no key.
     */
    SendTemplate newKey(int i, int key);

    /**
     * Sets the operands of an atomic; the masks of a masked one stay.
     *
     * @param i          which request.
     * @param compareAdd what to compare with, or to add.
     * @param swap       what to swap in; without effect if it adds.
     * @return this.
     * @throws IllegalArgumentException if there is no such request, or it is no atomic.
     */
    SendTemplate operands(int i, long compareAdd, long swap);

    /**
     * Copies another payload into a request that was prepared with one, see {@link SendRequest#inline}: the source can
     * be used for something else at once.
     *
     * @param i      which request.
     * @param source what holds the payload; may be on the heap.
     * @param offset first byte.
     * @param length bytes, 0 to {@link QueuePair#maxInline()}.
     * @return this.
     * @throws IllegalArgumentException if there is no such request, it was prepared without a payload, or the range is
     *                                  too long or not inside of the source. Also if that is memory that is gone, which
     *                                  is found out by copying it: then the request has the new length and some of its
     *                                  bytes, and needs another payload before it is posted.
     */
    SendTemplate inline(int i, DirectBuffer source, int offset, int length);

    /**
     * Posts all requests with one doorbell.
     *
     * @return as {@link QueuePair#postSend(SendRequest[], int)}: the number posted, which is smaller than
     *         {@link #size()} if the queue filled up or a request was refused; a negative code if the first could not
     *         be posted.
     */
    int post();

    /**
     * Posts the first ones with one doorbell.
     *
     * @param count how many of them, from the first; 0 posts none.
     * @return as {@link #post()}; {@link ReturnCode#INVALID_REQUEST} if there are not so many, or the count is
     *         negative.
     */
    int post(int count);
}
