/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** What the commands print with: the terminal, tables, key-value lists, JSON, progress. Output is plain ASCII. */
package io.rdma4j.tools.text;
