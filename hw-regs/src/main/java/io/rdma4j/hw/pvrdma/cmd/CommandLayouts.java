/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.Bar1;

/** Which layout belongs to which command, for whoever prints or compares commands without knowing them. */
public final class CommandLayouts {
    private CommandLayouts() {
    }

    /**
     * {@return the layout of a request, its header included}
     *
     * @param command the command
     */
    public static Layout request(final Command command) {
        return switch (command) {
            case QUERY_PORT -> QueryPortRequest.LAYOUT;
            case QUERY_PKEY -> QueryPkeyRequest.LAYOUT;
            case CREATE_PD -> CreatePdRequest.LAYOUT;
            case CREATE_MR -> CreateMrRequest.LAYOUT;
            case CREATE_CQ -> CreateCqRequest.LAYOUT;
            case RESIZE_CQ -> ResizeCqRequest.LAYOUT;
            case CREATE_QP -> CreateQpRequest.LAYOUT;
            case MODIFY_QP -> ModifyQpRequest.LAYOUT;
            case QUERY_QP -> QueryQpRequest.LAYOUT;
            case CREATE_UC -> CreateUcRequest.LAYOUT;
            case CREATE_BIND -> CreateBindRequest.LAYOUT;
            case DESTROY_BIND -> DestroyBindRequest.LAYOUT;
            case CREATE_SRQ -> CreateSrqRequest.LAYOUT;
            case MODIFY_SRQ -> ModifySrqRequest.LAYOUT;
            case CREATE_MW -> CreateMwRequest.LAYOUT;
            case RESIZE_CQ_RING -> ResizeCqRingRequest.LAYOUT;
            default -> HandleRequest.LAYOUT;
        };
    }

    /**
     * {@return the layout of a response, its header included; the header alone where nothing follows it}
     *
     * @param command       the command
     * @param deviceVersion VERSION of the device, which decides on the answer to CREATE_QP
     */
    public static Layout response(final Command command, final int deviceVersion) {
        return switch (command) {
            case QUERY_PORT -> QueryPortResponse.LAYOUT;
            case QUERY_PKEY -> QueryPkeyResponse.LAYOUT;
            case CREATE_PD, CREATE_UC, CREATE_SRQ -> HandleResponse.LAYOUT;
            case CREATE_MR -> CreateMrResponse.LAYOUT;
            case CREATE_CQ -> CreateCqResponse.LAYOUT;
            case RESIZE_CQ -> ResizeCqResponse.LAYOUT;
            case CREATE_QP -> deviceVersion < Bar1.PVRDMA_QPHANDLE_VERSION
                ? CreateQpResponse.LAYOUT : CreateQpResponseV2.LAYOUT;
            case QUERY_QP -> QueryQpResponse.LAYOUT;
            case DESTROY_QP -> DestroyQpResponse.LAYOUT;
            case QUERY_SRQ -> QuerySrqResponse.LAYOUT;
            case CREATE_MW -> CreateMwResponse.LAYOUT;
            case RESIZE_CQ_RING -> ResizeCqRingResponse.LAYOUT;
            default -> ResponseHeader.LAYOUT;
        };
    }
}
