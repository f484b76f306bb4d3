/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Calls into libibverbs, and nothing else: addresses and numbers go in, addresses and numbers come out. What they mean,
 * and that an address is one of the library's, is for the package above to see to.
 */
package io.rdma4j.verbs.ibv.lib;
