/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.engine.Engine;
import io.rdma4j.device.engine.QpNames;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpResult;
import io.rdma4j.hw.pvrdma.cmd.DestroyQpResponse;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifyQpRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryQpRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryQpResponse;

import org.agrona.concurrent.UnsafeBuffer;

/** The commands of queue pairs, decoded. */
final class QpCommands {
    private final DeviceOptions options;
    private final Engine engine;

    QpCommands(DeviceOptions options, Engine engine) {
        this.options = options;
        this.engine = engine;
    }

    void run(Command command, UnsafeBuffer request, UnsafeBuffer response) {
        switch (command) {
            case CREATE_QP -> create(new CreateQpRequest().wrap(request, 0), response);
            case MODIFY_QP -> modify(new ModifyQpRequest().wrap(request, 0));
            case QUERY_QP -> engine.queuePairs().query(
                new QueryQpRequest().wrap(request, 0).get(QueryQpRequest.QP_HANDLE),
                new QueryQpResponse().wrap(response, 0).get(QueryQpResponse.ATTRS));
            default -> new DestroyQpResponse().wrap(response, 0).set(DestroyQpResponse.EVENTS_REPORTED,
                engine.queuePairs().destroy(new HandleRequest().wrap(request, 0).get(HandleRequest.HANDLE)));
        }
    }

    private void create(CreateQpRequest request, UnsafeBuffer response) {
        final QpNames names = engine.queuePairs().create(request);
        final boolean shared = request.get(CreateQpRequest.IS_SRQ) != 0;
        new CreateQpResult(names.qpn(), names.handle(), request.get(CreateQpRequest.MAX_SEND_WR),
            shared ? 0 : request.get(CreateQpRequest.MAX_RECV_WR), request.get(CreateQpRequest.MAX_SEND_SGE),
            shared ? 0 : request.get(CreateQpRequest.MAX_RECV_SGE)).write(options.version(), response);
    }

    private void modify(ModifyQpRequest request) {
        engine.queuePairs().modify(request.get(ModifyQpRequest.QP_HANDLE), request.get(ModifyQpRequest.ATTR_MASK),
            request.get(ModifyQpRequest.ATTRS));
    }
}
