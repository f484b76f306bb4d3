/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The kinds of objects of the fabric layer that other processes see, published through the provider: what is written,
 * and where tools find it. Codes and places stay as they are, and names are only ever added at the end.
 */
package io.rdma4j.fabric.live;
