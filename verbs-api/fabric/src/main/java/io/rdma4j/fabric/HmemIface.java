/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Who allocated memory (fi_mr, iface; checklist 13), numbers of rdma/fi_domain.h. */
public enum HmemIface {
    /** The operating system. */
    SYSTEM(0),
    /** NVIDIA CUDA. */
    CUDA(1),
    /** AMD ROCR. */
    ROCR(2),
    /** oneAPI Level Zero. */
    ZE(3),
    /** AWS Neuron. */
    NEURON(4),
    /** Habana SynapseAI. */
    SYNAPSEAI(5);

    private final int value;

    HmemIface(final int value) {
        this.value = value;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a number.
     */
    public int value() {
        return value;
    }
}
