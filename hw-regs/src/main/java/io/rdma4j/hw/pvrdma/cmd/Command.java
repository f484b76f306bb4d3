/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.pvrdma.Bar1;

/**
 * The commands of the device, {@code PVRDMA_CMD_*}, in the order of their numbers.
 *
 * <p>A command that destroys or changes something and has nothing to tell is not waited for: that the ERR register
 * reads zero is its whole answer.
 */
public enum Command {
    /** {@link QueryPortRequest}, {@link QueryPortResponse}. */
    QUERY_PORT(QueryPortRequest.LENGTH, QueryPortResponse.LENGTH),
    /** {@link QueryPkeyRequest}, {@link QueryPkeyResponse}. */
    QUERY_PKEY(QueryPkeyRequest.LENGTH, QueryPkeyResponse.LENGTH),
    /** {@link CreatePdRequest}, {@link HandleResponse}. */
    CREATE_PD(CreatePdRequest.LENGTH, HandleResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_PD(HandleRequest.LENGTH, 0),
    /** {@link CreateMrRequest}, {@link CreateMrResponse}. */
    CREATE_MR(CreateMrRequest.LENGTH, CreateMrResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_MR(HandleRequest.LENGTH, 0),
    /** {@link CreateCqRequest}, {@link CreateCqResponse}. */
    CREATE_CQ(CreateCqRequest.LENGTH, CreateCqResponse.LENGTH),
    /** {@link ResizeCqRequest}, {@link ResizeCqResponse}. */
    RESIZE_CQ(ResizeCqRequest.LENGTH, ResizeCqResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_CQ(HandleRequest.LENGTH, 0),
    /** {@link CreateQpRequest}, {@link CreateQpResult}. */
    CREATE_QP(CreateQpRequest.LENGTH, CreateQpResponseV2.LENGTH),
    /** {@link ModifyQpRequest}, {@link ResponseHeader}. */
    MODIFY_QP(ModifyQpRequest.LENGTH, ResponseHeader.LENGTH),
    /** {@link QueryQpRequest}, {@link QueryQpResponse}. */
    QUERY_QP(QueryQpRequest.LENGTH, QueryQpResponse.LENGTH),
    /** {@link HandleRequest}, {@link DestroyQpResponse}, which nobody waits for. */
    DESTROY_QP(HandleRequest.LENGTH, DestroyQpResponse.LENGTH),
    /** {@link CreateUcRequest}, {@link HandleResponse}. */
    CREATE_UC(CreateUcRequest.LENGTH, HandleResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_UC(HandleRequest.LENGTH, 0),
    /** {@link CreateBindRequest}. */
    CREATE_BIND(CreateBindRequest.LENGTH, 0),
    /** {@link DestroyBindRequest}. */
    DESTROY_BIND(DestroyBindRequest.LENGTH, 0),
    /** {@link CreateSrqRequest}, {@link HandleResponse}. */
    CREATE_SRQ(CreateSrqRequest.LENGTH, HandleResponse.LENGTH),
    /** {@link ModifySrqRequest}. */
    MODIFY_SRQ(ModifySrqRequest.LENGTH, 0),
    /** {@link HandleRequest}, {@link QuerySrqResponse}. */
    QUERY_SRQ(HandleRequest.LENGTH, QuerySrqResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_SRQ(HandleRequest.LENGTH, 0);

    /** Bit that turns a command's number into its acknowledge code. */
    public static final int ACK_FLAG = 1 << 31;
    /** Bytes of the longest request; the whole slot is written for each command. */
    public static final int REQUEST_MAX = ModifyQpRequest.LENGTH;
    /** Bytes of the longest response. */
    public static final int RESPONSE_MAX = QueryQpResponse.LENGTH;

    private static final Command[] BY_ID = values();

    private final int requestLength;
    private final int responseLength;

    Command(int requestLength, int responseLength) {
        this.requestLength = requestLength;
        this.responseLength = responseLength;
    }

    /**
     * Finds a command by its number.
     *
     * @param id as in {@link CommandHeader#cmd()}
     * @return the command, or null if no command has this number
     */
    public static Command of(int id) {
        return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
    }

    /**
     * {@return the number of the command}
     */
    public int id() {
        return ordinal();
    }

    /**
     * {@return the acknowledge code that a response to this command carries}
     */
    public int ack() {
        return ACK_FLAG | id();
    }

    /**
     * {@return the bytes of the request, header included}
     */
    public int requestLength() {
        return requestLength;
    }

    /**
     * {@return the bytes of the response, header included; 0 if none is defined}
     *
     * @param deviceVersion the VERSION register
     */
    public int responseLength(int deviceVersion) {
        return this == CREATE_QP && deviceVersion < Bar1.PVRDMA_QPHANDLE_VERSION
            ? CreateQpResponse.LENGTH
            : responseLength;
    }

    /**
     * {@return whether the driver waits for a response after ERR read zero}
     */
    public boolean awaitsResponse() {
        return responseLength != 0 && this != DESTROY_QP;
    }
}
