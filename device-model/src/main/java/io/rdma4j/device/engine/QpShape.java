/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.memory.PageTable;

/**
 * What a queue pair is made of, from creation to its end.
 *
 * @param type      RC or UD.
 * @param pd        its protection domain.
 * @param sendCq    where sends complete.
 * @param recvCq    where receives complete.
 * @param srq       where receives come from, null if they are its own.
 * @param signalAll whether every send completes visibly.
 * @param maxSge    of a send.
 * @param pages     of its rings.
 * @param words     of the heap that its rings take, about.
 */
record QpShape(int type, ProtectionDomain pd, CompletionQueue sendCq, CompletionQueue recvCq, SharedReceiveQueue srq,
    boolean signalAll, int maxSge, PageTable pages, long words) {
}
