/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The command channel: each request and response of the device, and their headers. One command is in the command slot
 * at a time; {@link io.rdma4j.hw.pvrdma.cmd.Command} lists them.
 */
package io.rdma4j.hw.pvrdma.cmd;
