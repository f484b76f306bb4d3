/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * A device that goes wrong on demand, for tests of the commands: {@code fake:name?fault=lost&after=100}, or with
 * {@code qp=1} with the hundredth message of its first queue pair, whatever others carry meanwhile. It keeps the
 * promises of {@link io.rdma4j.verbs} for what the commands use, and says so when they use anything else.
 */
package io.rdma4j.tools.fake;
