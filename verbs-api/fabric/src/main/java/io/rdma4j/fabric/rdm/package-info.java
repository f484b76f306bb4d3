/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Reliable datagrams: endpoints whose peers are names of an address vector, over connections that are made on demand
 * (docs/adr/0026).
 */
package io.rdma4j.fabric.rdm;
