/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import org.agrona.MutableDirectBuffer;

/**
 * Answer to CREATE_QP, in whichever layout the device uses; see {@link CreateQpResponse#forVersion}.
 */
public sealed interface CreateQpResult permits CreateQpResponse, CreateQpResponseV2 {

    /**
     * Looks at a response.
     *
     * @param buffer holds it
     * @param offset where it begins
     * @return this
     * @throws IllegalArgumentException if it does not fit into the buffer at this place
     */
    CreateQpResult wrap(MutableDirectBuffer buffer, int offset);

    /** {@return the description of the struct} */
    Layout layout();

    /** {@return the header: a view of its own} */
    ResponseHeader header();

    /** {@return the number of the QP, by which peers know it} */
    int qpn();

    /** {@return this, with the value set}
     * @param value what to set */
    CreateQpResult qpn(int value);

    /** {@return the handle of the QP, for commands and doorbells} */
    int qpHandle();

    /** {@return this, with the value set}
     * @param value what to set
     * @throws IllegalArgumentException if the layout has no handle and the value is not the number set before */
    CreateQpResult qpHandle(int value);

    /** {@return the slots of the send queue} */
    int maxSendWr();

    /** {@return this, with the value set}
     * @param value what to set */
    CreateQpResult maxSendWr(int value);

    /** {@return the slots of the receive queue} */
    int maxRecvWr();

    /** {@return this, with the value set}
     * @param value what to set */
    CreateQpResult maxRecvWr(int value);

    /** {@return the SGEs of a send} */
    int maxSendSge();

    /** {@return this, with the value set}
     * @param value what to set */
    CreateQpResult maxSendSge(int value);

    /** {@return the SGEs of a receive} */
    int maxRecvSge();

    /** {@return this, with the value set}
     * @param value what to set */
    CreateQpResult maxRecvSge(int value);

    /** {@return the inline bytes of a send} */
    int maxInlineData();

    /** {@return this, with the value set}
     * @param value what to set */
    CreateQpResult maxInlineData(int value);
}
