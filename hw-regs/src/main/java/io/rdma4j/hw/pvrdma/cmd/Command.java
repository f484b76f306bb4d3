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
 *
 * <p>Numbers from {@value #FIRST_EXTENSION} on are extensions of this project's own device, see
 * {@link io.rdma4j.hw.pvrdma.ExtensionFlags}: other devices do not know them.
 */
public enum Command {
    /** {@link QueryPortRequest}, {@link QueryPortResponse}. */
    QUERY_PORT(0, QueryPortRequest.LENGTH, QueryPortResponse.LENGTH),
    /** {@link QueryPkeyRequest}, {@link QueryPkeyResponse}. */
    QUERY_PKEY(1, QueryPkeyRequest.LENGTH, QueryPkeyResponse.LENGTH),
    /** {@link CreatePdRequest}, {@link HandleResponse}. */
    CREATE_PD(2, CreatePdRequest.LENGTH, HandleResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_PD(3, HandleRequest.LENGTH, 0),
    /** {@link CreateMrRequest}, {@link CreateMrResponse}. */
    CREATE_MR(4, CreateMrRequest.LENGTH, CreateMrResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_MR(5, HandleRequest.LENGTH, 0),
    /** {@link CreateCqRequest}, {@link CreateCqResponse}. */
    CREATE_CQ(6, CreateCqRequest.LENGTH, CreateCqResponse.LENGTH),
    /** {@link ResizeCqRequest}, {@link ResizeCqResponse}. */
    RESIZE_CQ(7, ResizeCqRequest.LENGTH, ResizeCqResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_CQ(8, HandleRequest.LENGTH, 0),
    /** {@link CreateQpRequest}, {@link CreateQpResult}. */
    CREATE_QP(9, CreateQpRequest.LENGTH, CreateQpResponseV2.LENGTH),
    /** {@link ModifyQpRequest}, {@link ResponseHeader}. */
    MODIFY_QP(10, ModifyQpRequest.LENGTH, ResponseHeader.LENGTH),
    /** {@link QueryQpRequest}, {@link QueryQpResponse}. */
    QUERY_QP(11, QueryQpRequest.LENGTH, QueryQpResponse.LENGTH),
    /** {@link HandleRequest}, {@link DestroyQpResponse}, which nobody waits for. */
    DESTROY_QP(12, HandleRequest.LENGTH, DestroyQpResponse.LENGTH),
    /** {@link CreateUcRequest}, {@link HandleResponse}. */
    CREATE_UC(13, CreateUcRequest.LENGTH, HandleResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_UC(14, HandleRequest.LENGTH, 0),
    /** {@link CreateBindRequest}. */
    CREATE_BIND(15, CreateBindRequest.LENGTH, 0),
    /** {@link DestroyBindRequest}. */
    DESTROY_BIND(16, DestroyBindRequest.LENGTH, 0),
    /** {@link CreateSrqRequest}, {@link HandleResponse}. */
    CREATE_SRQ(17, CreateSrqRequest.LENGTH, HandleResponse.LENGTH),
    /** {@link ModifySrqRequest}. */
    MODIFY_SRQ(18, ModifySrqRequest.LENGTH, 0),
    /** {@link HandleRequest}, {@link QuerySrqResponse}. */
    QUERY_SRQ(19, HandleRequest.LENGTH, QuerySrqResponse.LENGTH),
    /** {@link HandleRequest}. */
    DESTROY_SRQ(20, HandleRequest.LENGTH, 0),
    /** {@link CreateMwRequest}, {@link CreateMwResponse}; an extension. */
    CREATE_MW(64, CreateMwRequest.LENGTH, CreateMwResponse.LENGTH),
    /** {@link HandleRequest}; an extension. */
    DESTROY_MW(65, HandleRequest.LENGTH, 0),
    /** {@link ResizeCqRingRequest}, {@link ResizeCqRingResponse}; an extension. */
    RESIZE_CQ_RING(66, ResizeCqRingRequest.LENGTH, ResizeCqRingResponse.LENGTH);

    /** Bit that turns a command's number into its acknowledge code. */
    public static final int ACK_FLAG = 1 << 31;
    /** The first number of a command that is no part of the pvrdma interface. */
    public static final int FIRST_EXTENSION = 64;
    /** Bytes of the longest request; the whole slot is written for each command. */
    public static final int REQUEST_MAX = ModifyQpRequest.LENGTH;
    /** Bytes of the longest response. */
    public static final int RESPONSE_MAX = QueryQpResponse.LENGTH;

    private static final Command[] BY_ID = byId();

    private final int id;
    private final int requestLength;
    private final int responseLength;

    Command(int id, int requestLength, int responseLength) {
        this.id = id;
        this.requestLength = requestLength;
        this.responseLength = responseLength;
    }

    private static Command[] byId() {
        final Command[] all = values();
        final Command[] table = new Command[all[all.length - 1].id + 1];
        for (Command command : all) {
            table[command.id] = command;
        }
        return table;
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
        return id;
    }

    /**
     * {@return whether only this project's own device may know the command}
     */
    public boolean isExtension() {
        return id >= FIRST_EXTENSION;
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
