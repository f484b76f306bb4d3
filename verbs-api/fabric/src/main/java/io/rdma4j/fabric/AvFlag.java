/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** How an address vector is opened (flags of struct fi_av_attr). */
public enum AvFlag {
    /** Insertions are asynchronous (FI_EVENT; checklist 73-76). */
    EVENT,
    /** For reading only: it has a name and exists (FI_READ; checklist 71). */
    READ,
    /** A hint: nodes have the same endpoints, with addresses that follow each other (FI_SYMMETRIC; checklist 72). */
    SYMMETRIC
}
