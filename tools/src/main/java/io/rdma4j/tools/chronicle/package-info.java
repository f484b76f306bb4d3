/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** The bridge to Chronicle Bytes, which only hex dumps need. Nothing here is loaded before one is asked for. */
package io.rdma4j.tools.chronicle;
