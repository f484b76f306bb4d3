/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The parts of PCI that a userspace driver meets: the configuration header and MSI-X.
 */
package io.rdma4j.hw.pci;
