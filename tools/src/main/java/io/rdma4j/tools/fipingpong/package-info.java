/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The ping-pong of the fabric interfaces: two endpoints of any kind, in one process or in two that exchange their
 * addresses over TCP.
 */
package io.rdma4j.tools.fipingpong;
