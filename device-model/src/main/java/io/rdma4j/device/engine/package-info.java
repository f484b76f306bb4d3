/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What the device does: protection domains, regions, completion queues, receive queues, queue pairs and the execution
 * of work requests.
 *
 * <p>A doorbell runs the device on the ringing thread. A send is executed under the lock of its send queue, its
 * responder's part under the lock of the receive queue that it reaches, each completion under the lock of its
 * completion queue; {@link io.rdma4j.device.common.SpinLock} states the order. Objects are found in tables without a
 * lock; a destroyed object is first marked, then {@link io.rdma4j.device.engine.Engine#quiesce()} passes through every
 * queue's lock, and only then its memory is given back: whoever found it before is done with it.
 */
package io.rdma4j.device.engine;
