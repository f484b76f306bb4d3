/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

/**
 * What the device calls a queue pair, and the sizes that it reported. The rings have the sizes that were asked for.
 *
 * @param qpn        the number by which peers know it.
 * @param handle     for commands, doorbells and completions.
 * @param maxSendWr  as reported.
 * @param maxRecvWr  as reported.
 * @param maxSendSge as reported.
 * @param maxRecvSge as reported.
 */
public record QpHandle(int qpn, int handle, int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge) {
}
