/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

/** Each event that a healthy driver does not cause, or causes rarely. */
public enum Counter {
    /** Accesses to IOVAs that are not mapped. */
    DMA_FAULTS("DMA accesses to unmapped IOVAs"),
    /** Accesses while the function is no bus master. */
    DMA_WITHOUT_BUS_MASTER("DMA refused: bus mastering is off"),
    /** Unmap requests for IOVAs that are not mapped. */
    BAD_UNMAPS("unmap of an IOVA that is not mapped"),
    /** Accesses to BARs while memory decoding is off. */
    BAR_ACCESS_WITHOUT_MEMORY("BAR accesses refused: memory decoding is off"),
    /** Register writes that mean nothing. */
    BAD_REGISTER_WRITES("register writes that mean nothing"),
    /** Shared regions that could not be loaded. */
    BAD_DSR("device shared regions that could not be loaded"),
    /** Commands carried out. */
    COMMANDS("commands executed"),
    /** Commands refused. */
    COMMANDS_REFUSED("commands refused"),
    /** Doorbells for objects that do not exist, or on a page that is not their own. */
    BAD_DOORBELLS("doorbells for objects that do not exist"),
    /** Ring indices out of range. */
    CORRUPT_RINGS("rings with corrupt indices"),
    /** Work requests that the device could not execute. */
    BAD_WQES("malformed work requests"),
    /** Failed checks of local keys. */
    LOCAL_PROTECTION("local protection errors"),
    /** Failed checks of remote keys. */
    REMOTE_ACCESS("remote access errors"),
    /** Mappings whose memory the program unmapped, moved, replaced or emptied: the device reaches them no more. */
    MEMORY_REVOKED("mappings revoked: the program took the memory away"),
    /** Accesses to registered memory that was not there, or was revoked. */
    MEMORY_LOST("accesses to registered memory that is not there"),
    /** Fast registrations, binds of windows and invalidations that were refused. */
    MEMORY_OPERATIONS_REFUSED("memory management operations refused"),
    /** Completions that found their CQ full. */
    CQ_OVERFLOWS("completions lost in full CQs"),
    /** Events that found their ring full or absent. */
    EVENTS_LOST("asynchronous events lost"),
    /** Times that a send found no receive. */
    RNR("receiver not ready"),
    /** Sends tried again because their time had come. */
    RETRIES("sends tried again"),
    /** Sends that used up their retries. */
    RETRIES_EXCEEDED("sends given up after all retries"),
    /** Messages for QPs that are not there, not ready or not connected to the sender. */
    NO_PEER("messages that nobody took"),
    /** Messages with another packet sequence number than the receiver expects. */
    PSN_MISMATCH("messages out of sequence"),
    /** Datagrams with a wrong Q_Key. */
    BAD_QKEY("datagrams with a wrong Q_Key"),
    /** Datagrams dropped for want of a receive, or one that is large enough. */
    UD_DROPPED("datagrams dropped"),
    /** Packets from a wire that are none, or of a kind that is not known. */
    BAD_PACKETS("packets from the wire that are malformed"),
    /** Packets that were received once more, or out of order, because others were lost or late. */
    RESENT_PACKETS("packets received again"),
    /** Multicast datagrams, which the device refuses. */
    MULTICAST("multicast datagrams refused"),
    /** Frames that were damaged on their way. */
    WIRE_BAD_CHECK_SUM("frames with a wrong check sum"),
    /** What came and is no packet of the transport: too short, too long, of another version. */
    WIRE_MALFORMED("frames that are no packets"),
    /** Frames on which a switch set the congestion mark. */
    WIRE_MARKED("frames that met congestion"),
    /** Frames that the network refused when they were sent. */
    WIRE_REFUSED("frames that the network refused"),
    /** Frames dropped because those before them could not be sent yet. */
    WIRE_NO_ROOM("frames dropped for want of room to send"),
    /** Peers that were forgotten for others. */
    WIRE_PEERS_FORGOTTEN("peers forgotten for others"),
    /** Frames that could not be written into the capture file. */
    WIRE_NOT_CAPTURED("frames missing in the capture file"),
    /** Queue pairs that went to the error state by themselves. */
    QP_ERRORS("queue pairs in error"),
    /** Interrupts that were masked and lost, as on QEMU. */
    INTERRUPTS_LOST("interrupts lost while masked"),
    /** Faults of the device itself; there should never be any. */
    INTERNAL_ERRORS("internal errors of the emulated device"),
    /** Doorbells and sizes that hang or crash QEMU 7.2. */
    WOULD_HANG_QEMU("requests that hang or crash QEMU 7.2");

    private final String label;

    Counter(String label) {
        this.label = label;
    }

    /**
     * {@return what is counted, in words}
     */
    public String label() {
        return label;
    }
}
