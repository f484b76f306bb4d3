/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.process;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Hints;
import io.rdma4j.testing.LineProcess;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.RdmaListener;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/** A process with a device and an end of each kind on it. Takes a line, answers a line. */
final class OtherProcess extends LineProcess {
    OtherProcess(final String device) throws IOException {
        super(OtherProcess.class, List.of("-Xmx128m"), device);
    }

    /**
     * In the other process.
     *
     * @param args the device.
     * @throws IOException if the test has gone.
     */
    public static void main(final String[] args) throws IOException {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        try (RdmaContext context = RdmaDevices.open(args[0]);
             RdmaListener listener = RdmaConnector.listen(0);
             AddressedNode reliable = new AddressedNode(context, EndpointType.RDM, new EndpointOptions());
             AddressedNode datagrams = new AddressedNode(context, EndpointType.DGRAM, new EndpointOptions())) {
            final QueuePair qp = qp(context);
            final TestDomain own = new TestDomain(new Hints().context(context).endpointType(EndpointType.MSG));
            final EventQueue events = own.fabric.openEventQueue(0);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(switch (line) {
                    case "qp" -> qp.localAddress();
                    case "rdm" -> reliable.endpoint.address();
                    case "datagrams" -> datagrams.endpoint.address();
                    case "name" -> HexFormat.of().formatHex(own.domain.openEndpoint(
                        new EndpointOptions().completionQueue(own.domain.openCompletionQueue(8)).sizes(4, 4)).name());
                    case "passive" -> own.fabric.openPassiveEndpoint(own.info, events, null).address();
                    case "port" -> listener.address().getPort();
                    case "accept" -> accept(listener, qp);
                    default -> "what?";
                });
            }
        }
    }

    static QueuePair qp(final RdmaContext context) {
        return context.allocatePd().createQp(new QpOptions().cq(context.createCq(64)).maxSendWr(8).maxReceiveWr(8));
    }

    private static String accept(final RdmaListener listener, final QueuePair qp) {
        try {
            listener.accept(qp, new ConnectOptions().timeout(Duration.ofSeconds(60)).patience(Duration.ofSeconds(60)));
            return "connected";
        } catch (final RdmaException e) {
            return e.errno() + " " + qp.state() + " " + e.getMessage().replace('\n', ' ');
        }
    }
}
