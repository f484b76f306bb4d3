/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The command line {@code rdma4j}. {@link io.rdma4j.tools.Main} is the picocli application; each command has a class.
 */
package io.rdma4j.tools;
