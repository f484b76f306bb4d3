/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Asks for addresses of hosts; may take as long as it likes. */
@FunctionalInterface
interface HostLookup {
    InetAddress[] find(String name) throws UnknownHostException;
}
