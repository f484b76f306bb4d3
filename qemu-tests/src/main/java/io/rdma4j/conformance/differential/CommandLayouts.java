/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance.differential;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateQpResponseV2;
import io.rdma4j.hw.pvrdma.cmd.CreateSrqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateUcRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyQpResponse;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleResponse;
import io.rdma4j.hw.pvrdma.cmd.ModifyQpRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifySrqRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyResponse;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortResponse;
import io.rdma4j.hw.pvrdma.cmd.QueryQpRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryQpResponse;
import io.rdma4j.hw.pvrdma.cmd.QuerySrqResponse;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRequest;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqResponse;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

/** Which layout belongs to which command. */
final class CommandLayouts {
    private CommandLayouts() {
    }

    static Layout request(final Command command) {
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
            default -> HandleRequest.LAYOUT;
        };
    }

    static Layout response(final Command command, final int deviceVersion) {
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
            default -> ResponseHeader.LAYOUT;
        };
    }

    /** What takes back what a command made; null if it makes nothing. */
    static Command undo(final Command command) {
        return switch (command) {
            case CREATE_PD -> Command.DESTROY_PD;
            case CREATE_MR -> Command.DESTROY_MR;
            case CREATE_CQ -> Command.DESTROY_CQ;
            case CREATE_QP -> Command.DESTROY_QP;
            case CREATE_UC -> Command.DESTROY_UC;
            case CREATE_SRQ -> Command.DESTROY_SRQ;
            default -> null;
        };
    }
}
