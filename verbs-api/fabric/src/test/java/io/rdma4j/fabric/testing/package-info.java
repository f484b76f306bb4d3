/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What tests stand on, rung by rung: {@link TestDevices} opens devices and looks what is left on them,
 * {@link TestDomain} is a fabric and a domain of one, {@link TestNode} a domain with a queue and memory. Packages add
 * their endpoints.
 */
package io.rdma4j.fabric.testing;
