/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** What all modules use and no program needs: ends of waits, undoing, threads, kinds of live objects. */
package io.rdma4j.base;
