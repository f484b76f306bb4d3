/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;
import io.rdma4j.verbs.pvrdma.trace.TraceFormat;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a device was asked in a trace, as a script that any device can play, and what it answered, as a recording of
 * that script. Handles, keys, queue pair numbers, the first GID and page directories become names; sizes, attributes
 * and the addresses by which requests name memory stay. Lines are those of the trace.
 */
final class TraceScript {
    private static final int LONGEST_WQE = Pdir.PAGE_SIZE;

    private final TraceNames names;
    private final RequestWriter requests;
    private final WorkWriter works;
    private final String gid;
    private final List<DiffRecording.Entry> entries = new ArrayList<>();
    private final Map<String, Integer> raw = new LinkedHashMap<>();
    /** QPs by name: whether they send datagrams. */
    private final Set<String> datagrams = new HashSet<>();
    /** QPs whose peer is not on this device. */
    private final Set<String> strangers = new HashSet<>();
    private final Set<String> rawRequests = new HashSet<>();
    /** Memory of regions by the regions' names. */
    private final Map<String, String> memories = new LinkedHashMap<>();
    private String address = "";
    private String version = "";
    private boolean closed;

    private TraceScript(final int version, final String gid) {
        names = new TraceNames(version);
        requests = new RequestWriter(names, gid);
        works = new WorkWriter(names, gid);
        this.gid = gid;
    }

    /**
     * Turns a trace into a script.
     *
     * @param records of one device, the first of which opens it.
     * @return script, recording, and what is left out.
     * @throws IllegalArgumentException naming the line that makes no sense.
     */
    static TraceScript of(final List<TraceRecord> records) {
        final TraceScript script = new TraceScript(records.get(0).number("version"), firstGid(records));
        records.forEach(script::add);
        return script;
    }

    private static String firstGid(final List<TraceRecord> records) {
        for (final TraceRecord record : records) {
            if (record.kind().equals(TraceFormat.COMMAND)) {
                final UnsafeBuffer request = request(record);
                if (new CommandHeader().wrap(request, 0).get(CommandHeader.CMD) == Command.CREATE_BIND.id()) {
                    return FieldText.text(request, 0, CreateBindRequest.NEW_GID.field());
                }
            }
        }
        return null;
    }

    private static UnsafeBuffer request(final TraceRecord record) {
        return new UnsafeBuffer(record.bytes("request", Command.REQUEST_MAX));
    }

    private void add(final TraceRecord record) {
        try {
            switch (record.kind()) {
                case TraceFormat.OPEN -> open(record);
                case TraceFormat.COMMAND -> command(record);
                case TraceFormat.SEND -> send(record);
                case TraceFormat.RECEIVE -> receive(record);
                case TraceFormat.SHARED -> shared(record);
                case TraceFormat.ARM -> arm(record);
                case TraceFormat.COMPLETION -> completion(record);
                default -> closed = true;
            }
        } catch (final NotSymbolicException e) {
            raw.merge(record.fields().getOrDefault("name", record.kind()) + ": " + e.getMessage(), 1, Integer::sum);
        }
    }

    private void step(final TraceRecord record, final String symbol, final String verb,
        final Map<String, String> arguments, final Map<String, String> answer) {
        entries.add(new DiffRecording.Entry(new DiffStep(record.line(), null, symbol, verb, arguments), answer));
    }

    private void open(final TraceRecord record) {
        address = record.text("address");
        version = record.text("version");
        step(record, null, "CAPS", Map.of(),
            names.answers().caps(new UnsafeBuffer(record.bytes("caps", Caps.LAYOUT.length())), 0));
    }

    private void command(final TraceRecord record) throws NotSymbolicException {
        final UnsafeBuffer request = request(record);
        final UnsafeBuffer response = new UnsafeBuffer(record.bytes("response", Command.RESPONSE_MAX));
        final int error = record.number("err");
        final Command command = Command.of(new CommandHeader().wrap(request, 0).get(CommandHeader.CMD));
        if (command == null) {
            throw new NotSymbolicException("is no command that this program knows");
        }
        final Map<String, String> arguments = requests.arguments(command, request);
        final boolean answered =
            new ResponseHeader().wrap(response, 0).get(ResponseHeader.RESPONSE)
                == new CommandHeader().wrap(request, 0).get(CommandHeader.RESPONSE);
        final boolean makes = Answers.undo(command) != null && error == 0 && answered;
        final String memory = command == Command.CREATE_MR ? memory(record, request, arguments) : null;
        final Made made = makes ? names.add(command, response) : null;
        step(record, made == null ? null : made.name(), command.name(), arguments,
            names.answers().command(command, error, answered, response));
        if (made != null && memory != null) {
            memories.put(made.name(), memory);
        } else if (memory != null) {
            step(record, null, "FREE", Map.of("memory", memory), Map.of());
        }
        if (error == 0) {
            remember(record, command, request, arguments, made);
        }
    }

    /** Memory for a region; null if it has none of its own. */
    private String memory(
        final TraceRecord record, final UnsafeBuffer request, final Map<String, String> arguments)
        throws NotSymbolicException {
        final int pages = RequestWriter.regionPages(request);
        if (pages == 0) {
            return null;
        }
        final String name = "mem" + record.line();
        final Map<String, String> sizes = new LinkedHashMap<>();
        sizes.put("pages", Integer.toString(pages));
        if (pages > RequestWriter.BACKING) {
            sizes.put("backing", Integer.toString(RequestWriter.BACKING));
        }
        step(record, name, "MEMORY", sizes, Map.of());
        arguments.put("memory", name);
        return name;
    }

    private void remember(final TraceRecord record, final Command command, final UnsafeBuffer request,
        final Map<String, String> arguments, final Made made) {
        if (command == Command.CREATE_QP && made != null) {
            if (CreateQpRequest.QP_TYPE.field().number(request, 0) == QpType.PVRDMA_QPT_UD) {
                datagrams.add(made.name());
            }
        } else if (command == Command.MODIFY_QP) {
            final String peer = arguments.getOrDefault("attrs.dest_qp_num", "");
            if (peer.startsWith("0x")) {
                strangers.add(arguments.get("qp_handle"));
            }
        } else if (command.name().startsWith("DESTROY_") && arguments.containsKey("handle")) {
            destroyed(record, names.find(RequestWriter.destroyed(command), "handle",
                HandleRequest.HANDLE.field().number(request, 0)));
        }
    }

    private void destroyed(final TraceRecord record, final Made made) {
        final String memory = memories.remove(made.name());
        names.remove(made);
        if (memory != null) {
            step(record, null, "FREE", Map.of("memory", memory), Map.of());
        }
    }

    private Made queue(final TraceRecord record, final Command maker) throws NotSymbolicException {
        final long handle = record.number("queue") & 0xffff_ffffL;
        final Made queue = names.find(maker, "handle", handle);
        if (queue == null || !names.isLive(queue)) {
            throw new NotSymbolicException("is of a queue that was not made in the trace");
        }
        return queue;
    }

    private void send(final TraceRecord record) throws NotSymbolicException {
        final Made qp = queue(record, Command.CREATE_QP);
        final UnsafeBuffer wqe = new UnsafeBuffer(record.bytes("wqe", LONGEST_WQE));
        try {
            requireKnownPeer(qp);
            step(record, null, "POST_SEND", works.send(qp, datagrams.contains(qp.name()), wqe), Map.of());
        } catch (final NotSymbolicException e) {
            rawRequests.add(request(qp.name(), "send", wqe.getLong(0)));
            throw e;
        }
    }

    private void receive(final TraceRecord record) throws NotSymbolicException {
        final Made qp = queue(record, Command.CREATE_QP);
        final UnsafeBuffer wqe = new UnsafeBuffer(record.bytes("wqe", LONGEST_WQE));
        try {
            requireKnownPeer(qp);
            step(record, null, "POST_RECV", works.receive("qp", qp.name(), wqe), Map.of());
        } catch (final NotSymbolicException e) {
            rawRequests.add(request(qp.name(), "receive", wqe.getLong(0)));
            throw e;
        }
    }

    private void shared(final TraceRecord record) throws NotSymbolicException {
        step(record, null, "POST_SRQ", works.receive("srq", queue(record, Command.CREATE_SRQ).name(),
            new UnsafeBuffer(record.bytes("wqe", LONGEST_WQE))), Map.of());
    }

    private void requireKnownPeer(final Made qp) throws NotSymbolicException {
        if (strangers.contains(qp.name())) {
            throw new NotSymbolicException("is of a queue pair whose peer is not on this device");
        }
    }

    private void arm(final TraceRecord record) throws NotSymbolicException {
        final Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put("cq", queue(record, Command.CREATE_CQ).name());
        arguments.put("bits", FieldText.hex(record.number("bits") & 0xffff_ffffL));
        step(record, null, "ARM_CQ", arguments, Map.of());
    }

    private void completion(final TraceRecord record) throws NotSymbolicException {
        final UnsafeBuffer cqe = new UnsafeBuffer(record.bytes("cqe", Cqe.LENGTH));
        final Made cq = queue(record, Command.CREATE_CQ);
        final Made qp = names.find(Command.CREATE_QP, "handle", Cqe.qp(cqe, 0) & Uar.HANDLE_MASK);
        if (qp == null) {
            throw new NotSymbolicException("is of a queue pair that was not made in the trace");
        }
        final String side = (Cqe.opcode(cqe, 0) & WcOpcode.PVRDMA_WC_RECV) != 0 ? "receive" : "send";
        requireKnownPeer(qp);
        requireKnownSender(cqe);
        if (rawRequests.contains(request(qp.name(), side, Cqe.wrId(cqe, 0)))) {
            throw new NotSymbolicException("is of a request that is left out");
        }
        final Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put("cq", cq.name());
        arguments.put("count", "1");
        arguments.put("qp", qp.name());
        arguments.put("side", side);
        arguments.put("wr_id", FieldText.hex(Cqe.wrId(cqe, 0)));
        final Map<String, String> answer = new LinkedHashMap<>();
        names.answers().completion(0, cqe, 0, answer);
        answer.put("count", "1");
        step(record, null, "POLL_CQ", arguments, answer);
    }

    private void requireKnownSender(final UnsafeBuffer cqe) throws NotSymbolicException {
        final long sender = Cqe.srcQp(cqe, 0) & 0xffff_ffffL;
        if (sender != 0 && names.find(Command.CREATE_QP, "qpn", sender) == null) {
            throw new NotSymbolicException("comes from another device");
        }
    }

    private static String request(final String qp, final String side, final long wrId) {
        return qp + " " + side + " " + wrId;
    }

    DiffScript script() {
        return new DiffScript(entries.stream().map(DiffRecording.Entry::step).toList());
    }

    DiffRecording recorded() {
        return new DiffRecording(address + " VERSION " + version, entries);
    }

    /** What could not be said by names, with how often. */
    Map<String, Integer> raw() {
        return raw;
    }

    /** The first address that was bound, in hexadecimal; null if none was. */
    String gid() {
        return gid;
    }

    String address() {
        return address;
    }

    boolean isClosed() {
        return closed;
    }
}
