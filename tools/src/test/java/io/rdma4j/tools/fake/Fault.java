/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

/** What goes wrong with a message. */
enum Fault {
    /** Nothing. */
    NONE,
    /** It is lost: the send completes, nothing arrives. */
    LOST,
    /** The send ends with an error. */
    ERROR,
    /** One bit of its last byte is turned. */
    CORRUPT,
    /** It arrives one byte short. */
    SHORT,
    /** The send completes with a wr_id that nobody gave. */
    FOREIGN,
    /** The device fails. */
    DEAD,
    /** The send is refused. */
    FULL,
    /** The driver throws what it should not. */
    BUG
}
