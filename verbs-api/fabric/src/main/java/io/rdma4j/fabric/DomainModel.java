/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * How a domain is to be used, as far as it is not about memory (fi_domain_attr). {@link FabricInfo#mrMode()} is about
 * memory.
 *
 * @param name               its name.
 * @param threading          which threads may do what at the same time.
 * @param progress           who makes operations go on.
 * @param resourceManagement whether queues can run over.
 * @param avType             the kind of address vectors.
 */
public record DomainModel(
    String name, Threading threading, Progress progress, ResourceManagement resourceManagement, AvType avType) {
}
