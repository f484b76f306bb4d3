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
import io.rdma4j.hw.pvrdma.cmd.CreateQpResponse;
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
            case QUERY_QP -> engine.queuePairs().query(new QueryQpRequest().wrap(request, 0).qpHandle(),
                new QueryQpResponse().wrap(response, 0).qpAttr());
            default -> engine.queuePairs().destroy(new HandleRequest().wrap(request, 0).handle());
        }
    }

    private void create(CreateQpRequest request, UnsafeBuffer response) {
        final QpNames names = engine.queuePairs().create(request);
        final boolean shared = request.isSrq() != 0;
        CreateQpResponse.forVersion(options.version()).wrap(response, 0).qpn(names.qpn()).qpHandle(names.handle())
            .maxSendWr(request.maxSendWr()).maxSendSge(request.maxSendSge())
            .maxRecvWr(shared ? 0 : request.maxRecvWr()).maxRecvSge(shared ? 0 : request.maxRecvSge())
            .maxInlineData(0);
    }

    private void modify(ModifyQpRequest request) {
        engine.queuePairs().modify(request.qpHandle(), request.attrMask(), request.qpAttr());
    }
}
