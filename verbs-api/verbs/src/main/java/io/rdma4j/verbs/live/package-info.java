/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The kinds of objects that devices of any provider publish: what a provider writes, and where tools find it. They are
 * the interface between processes: codes and places stay as they are, and names are only ever added at the end. What a
 * provider does not know is 0, as the rings of a device that another library drives.
 */
package io.rdma4j.verbs.live;
