/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
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
    QUERY_PORT(0, QueryPortRequest.LAYOUT, QueryPortResponse.LAYOUT),
    /** {@link QueryPkeyRequest}, {@link QueryPkeyResponse}. */
    QUERY_PKEY(1, QueryPkeyRequest.LAYOUT, QueryPkeyResponse.LAYOUT),
    /** {@link CreatePdRequest}, {@link HandleResponse}. */
    CREATE_PD(2, CreatePdRequest.LAYOUT, HandleResponse.LAYOUT),
    /** {@link HandleRequest}. */
    DESTROY_PD(3, HandleRequest.LAYOUT),
    /** {@link CreateMrRequest}, {@link CreateMrResponse}. */
    CREATE_MR(4, CreateMrRequest.LAYOUT, CreateMrResponse.LAYOUT),
    /** {@link HandleRequest}. */
    DESTROY_MR(5, HandleRequest.LAYOUT),
    /** {@link CreateCqRequest}, {@link CreateCqResponse}. */
    CREATE_CQ(6, CreateCqRequest.LAYOUT, CreateCqResponse.LAYOUT),
    /** {@link ResizeCqRequest}, {@link ResizeCqResponse}. */
    RESIZE_CQ(7, ResizeCqRequest.LAYOUT, ResizeCqResponse.LAYOUT),
    /** {@link HandleRequest}. */
    DESTROY_CQ(8, HandleRequest.LAYOUT),
    /** {@link CreateQpRequest}, {@link CreateQpResult}. */
    CREATE_QP(9, CreateQpRequest.LAYOUT, CreateQpResponseV2.LAYOUT),
    /** {@link ModifyQpRequest}, {@link ResponseHeader}. */
    MODIFY_QP(10, ModifyQpRequest.LAYOUT, ResponseHeader.LAYOUT),
    /** {@link QueryQpRequest}, {@link QueryQpResponse}. */
    QUERY_QP(11, QueryQpRequest.LAYOUT, QueryQpResponse.LAYOUT),
    /** {@link HandleRequest}, {@link DestroyQpResponse}, which nobody waits for. */
    DESTROY_QP(12, HandleRequest.LAYOUT, DestroyQpResponse.LAYOUT),
    /** {@link CreateUcRequest}, {@link HandleResponse}. */
    CREATE_UC(13, CreateUcRequest.LAYOUT, HandleResponse.LAYOUT),
    /** {@link HandleRequest}. */
    DESTROY_UC(14, HandleRequest.LAYOUT),
    /** {@link CreateBindRequest}. */
    CREATE_BIND(15, CreateBindRequest.LAYOUT),
    /** {@link DestroyBindRequest}. */
    DESTROY_BIND(16, DestroyBindRequest.LAYOUT),
    /** {@link CreateSrqRequest}, {@link HandleResponse}. */
    CREATE_SRQ(17, CreateSrqRequest.LAYOUT, HandleResponse.LAYOUT),
    /** {@link ModifySrqRequest}. */
    MODIFY_SRQ(18, ModifySrqRequest.LAYOUT),
    /** {@link HandleRequest}, {@link QuerySrqResponse}. */
    QUERY_SRQ(19, HandleRequest.LAYOUT, QuerySrqResponse.LAYOUT),
    /** {@link HandleRequest}. */
    DESTROY_SRQ(20, HandleRequest.LAYOUT),
    /** {@link CreateMwRequest}, {@link CreateMwResponse}; an extension. */
    CREATE_MW(64, CreateMwRequest.LAYOUT, CreateMwResponse.LAYOUT),
    /** {@link HandleRequest}; an extension. */
    DESTROY_MW(65, HandleRequest.LAYOUT),
    /** {@link ResizeCqRingRequest}, {@link ResizeCqRingResponse}; an extension. */
    RESIZE_CQ_RING(66, ResizeCqRingRequest.LAYOUT, ResizeCqRingResponse.LAYOUT);

    /** Bit that turns a command's number into its acknowledge code. */
    public static final int ACK_FLAG = 1 << 31;
    /** The first number of a command that is no part of the pvrdma interface. */
    public static final int FIRST_EXTENSION = 64;
    /** Bytes of the longest request; the whole slot is written for each command. */
    public static final int REQUEST_MAX = ModifyQpRequest.LAYOUT.length();
    /** Bytes of the longest response. */
    public static final int RESPONSE_MAX = QueryQpResponse.LAYOUT.length();

    private static final Command[] BY_ID = byId();

    private final int id;
    private final Layout request;
    private final Layout response;

    Command(int id, Layout request) {
        this(id, request, null);
    }

    Command(int id, Layout request, Layout response) {
        this.id = id;
        this.request = request;
        this.response = response;
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
     * @param id as in {@link CommandHeader#CMD}
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
     * {@return the layout of the request, header included}
     */
    public Layout request() {
        return request;
    }

    /**
     * {@return the layout of the response, header included; the header alone where nothing follows it}
     *
     * @param deviceVersion the VERSION register, which decides on the answer to CREATE_QP
     */
    public Layout response(int deviceVersion) {
        if (this == CREATE_QP && deviceVersion < Bar1.PVRDMA_QPHANDLE_VERSION) {
            return CreateQpResponse.LAYOUT;
        }
        return response == null ? ResponseHeader.LAYOUT : response;
    }

    /**
     * {@return the bytes of the request, header included}
     */
    public int requestLength() {
        return request.length();
    }

    /**
     * {@return the bytes of the response, header included; 0 if none is defined}
     *
     * @param deviceVersion the VERSION register
     */
    public int responseLength(int deviceVersion) {
        return response == null ? 0 : response(deviceVersion).length();
    }

    /**
     * {@return whether the driver waits for a response after ERR read zero}
     */
    public boolean awaitsResponse() {
        return response != null && this != DESTROY_QP;
    }
}
