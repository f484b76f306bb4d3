/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Verbs on the pvrdma device: joins the rings of {@code io.rdma4j.queues} with the memory and the commands of
 * {@code io.rdma4j.driver}. Found through {@link io.rdma4j.verbs.spi.VerbsProvider}; nothing else here is public.
 *
 * <h2>Who does what</h2>
 *
 * <p>{@code PvrdmaContext} owns the open device, the tables of objects by handle and what waits for interrupts.
 * {@code PvrdmaPd} makes regions, QPs ({@code QpFactory}), SRQs and AHs. A {@code PvrdmaQp} is state and life of a QP;
 * {@code SendPath} and {@code ReceivePath} post. {@code PvrdmaCq} polls. {@code Traits} says what the device's
 * capabilities and quirks mean here, so that no other class asks which device it has.
 *
 * <h2>No lock on the data path</h2>
 *
 * <p>Posting is gated by one volatile number per queue: OK, or the code that refuses. State changes, closing and device
 * failure write it. Polling meets the control path in four places, each a volatile read:
 *
 * <ul>
 *   <li>The QP of a CQE is looked up in a table that is replaced as a whole when a QP comes or goes.
 *   <li>The wr_id of a CQE is the request's sequence number and must be outstanding; else the CQE is dropped and
 *       counted.
 *   <li>A closed or reset QP leaves a mark in its CQs: its handle, and where the device was writing when it gave the QP
 *       up. The poller passes silently over CQEs with that handle before that place, so the device may give the handle
 *       to the next QP at once.
 *   <li>QPs whose requests the driver flushes, because the device does not, stand in a copied-on-write array. When the
 *       CQ has nothing more, the poller completes their outstanding requests itself, each exactly once: a late
 *       completion by the device is not outstanding any more.
 * </ul>
 *
 * <p>Memory of closed rings rests for a while before it is used again: who posts while another thread closes may be one
 * store late.
 *
 * <h2>Waiting</h2>
 *
 * <p>All CQs share one interrupt. {@code CompletionEvents} has one of the waiting threads listen to it and tell the
 * others; a {@code CqEvent} is what a CQ was asked for and got, {@code ChannelEvents} is the order in which the CQs of
 * a {@code PvrdmaChannel} got it. Polling takes no part in that.
 */
package io.rdma4j.verbs.pvrdma;
