/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Reliable datagrams, tested. */
package io.rdma4j.fabric.rdm;
