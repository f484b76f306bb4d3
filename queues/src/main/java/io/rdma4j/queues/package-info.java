/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The rings that a driver shares with its device, from both ends, and the only home of fences and of doorbell order.
 *
 * <pre>
 *                  user side                    shared memory                 device side
 *   SendQueue, ReceiveQueue,     -- WQE, then prod_tail, then doorbell --&gt;    WqeConsumer
 *   SharedReceiveQueue           &lt;------------- cons_head ---------------
 *
 *   CompletionQueue              &lt;------- CQE, then prod_tail -----------     CqeProducer
 *                                -------------- cons_head --------------&gt;
 * </pre>
 *
 * <h2>Order</h2>
 *
 * <p>An element is written with plain stores; then the index is stored with release, which the other end reads with
 * acquire before it looks at the element. A consumer gives slots back in the same manner. Every such store names, where
 * it is made, the load that it meets. A doorbell is one more ordered store, behind the index.
 *
 * <h2>Trust</h2>
 *
 * <p>Neither end believes the other: each keeps its own index in a field and never reads it back, and checks the index
 * of the peer before use. A wrong one gives a code, never an access outside of the ring.
 *
 * <h2>Threads and lifetime</h2>
 *
 * <p>A ring is used by one thread at a time; send and receive queues have two users, the one that posts and the one
 * that polls their completions, and each method says whose it is. Rings know nothing of closing: the owner stops using
 * them first. A late access is harmless as the buffer keeps its memory alive.
 *
 * <p>Nothing here allocates, locks, logs or throws once constructed; constructors throw
 * {@link IllegalArgumentException} for a geometry that does not fit its memory.
 */
package io.rdma4j.queues;
