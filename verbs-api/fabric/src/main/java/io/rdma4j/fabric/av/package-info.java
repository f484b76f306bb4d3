/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Address vectors: {@link io.rdma4j.fabric.av.AddressVectors} opens them; {@link io.rdma4j.fabric.av.PeerTable} is what
 * endpoints see of them on the data path; {@link io.rdma4j.fabric.av.AvStore} is where addresses are kept.
 */
package io.rdma4j.fabric.av;
