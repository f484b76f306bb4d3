/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The kinds of objects that only a pvrdma device publishes: what the provider writes, and where tools find it. They are
 * the interface between processes: codes and places stay as they are, and names are only ever added at the end.
 */
package io.rdma4j.verbs.pvrdma.live;
