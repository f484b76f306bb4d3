/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

/** An RMA operation or an atomic as the application asks for it; filled anew each time. */
final class Rma {
    RmaOperation operation;
    long address;
    long length;
    long remoteAddress;
    long key;
    int data;
    long operand;
    long swap;

    Rma set(
        final RmaOperation what, final long localAddress, final long bytes, final long farAddress, final long farKey) {
        if (operation != what) {
            operation = what;
        }
        address = localAddress;
        length = bytes;
        remoteAddress = farAddress;
        key = farKey;
        return this;
    }
}
