/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** What becomes of a program when the system refuses a call, or ends the process at it. */
package io.rdma4j.faults;
