/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

/**
 * A known deviation of one device from what the Linux driver relies on, and what this driver does about it. Which
 * device has which is the table in {@link DeviceProfile}; some are acted upon here, some by the layers above, which ask
 * {@link PvrdmaDevice#has(Quirk)}.
 */
public enum Quirk {
    /** Capabilities stay zero. */
    CAPS_LEFT_ZERO("leaves capabilities such as max_sge_rd, max_qp_rd_atom and page_size_cap zero; "
        + "the driver fills in what the device really does"),
    /** The number of UAR pages is a number of bytes. */
    MAX_UAR_IS_BYTES("reports max_uar in bytes; the driver uses UAR page 0 only"),
    /** Rings are smaller than the capabilities say. */
    RING_PAGES_LIMITED("accepts fewer ring pages than its limits on entries ask for; the driver lowers the limits"),
    /** One object too many is written behind the table. */
    TABLES_OVERRUN("writes past its object tables when one object too many is created; the driver counts objects"),
    /** A bad work request never ends. */
    BAD_WQE_LOOPS("repeats a work request with too many SGEs or an unbound GID index for ever, which hangs the virtual "
        + "machine; the driver refuses both before posting"),
    /** The receive doorbell of a QP with an SRQ reads memory that is not there. */
    SRQ_QP_RECV_DOORBELL("reads an unallocated ring when the receive doorbell of a QP with an SRQ rings; the driver "
        + "never rings it"),
    /** ERR keeps its value over UNQUIESCE. */
    UNQUIESCE_KEEPS_ERR("leaves the last command's result in ERR on UNQUIESCE; the driver does not use UNQUIESCE"),
    /** Masking loses interrupts. */
    MASKED_INTERRUPTS_LOST("loses interrupts while IMR is not zero; the driver unmasks first"),
    /** Vector 1 never fires. */
    NO_ASYNC_EVENTS("never reports asynchronous events; the driver counts and checks on its own"),
    /** A reset keeps everything. */
    RESET_KEEPS_OBJECTS("keeps all objects over a reset, which may take seconds; the driver destroys what is left "
        + "before, and when it starts what a killed process left"),
    /** Commands 18 and 19 are exchanged. */
    SRQ_COMMANDS_SWAPPED("exchanges MODIFY_SRQ and QUERY_SRQ; the driver sends each by the other's number"),
    /** An SRQ limit cannot be taken back. */
    SRQ_LIMIT_ZERO_REFUSED("refuses an SRQ limit of 0; the driver reports the refusal"),
    /** There is no RESIZE_CQ. */
    NO_RESIZE_CQ("has no RESIZE_CQ; the driver does not offer it"),
    /** Destroying what is not there succeeds. */
    DESTROY_UNKNOWN_SUCCEEDS("reports success for PDs and regions that do not exist; the driver keeps its own table"),
    /** Handles are the QP numbers of another device. */
    WIDE_QP_HANDLES("uses QP handles of 24 bits; the driver looks QPs up in a map and compares all bits"),
    /** Regions must be whole pages. */
    MR_WHOLE_PAGES("refuses regions that are not whole pages; the driver registers the pages around the region"),
    /** Nothing can be accessed from remote. */
    RKEY_ALL_ONES("gives every region the rkey 0xffffffff, with which no remote access works; the driver reports "
        + "remote access as missing"),
    /** Keys of closed regions are given out again. */
    MR_KEYS_REUSED("gives a new region the keys of one that was closed before; the driver reports that an old key may "
        + "lead to new memory"),
    /** A region beginning at 0 is never released. */
    MR_START_ZERO_LEAKS("never releases the host memory of a region that begins at address 0; the driver never "
        + "registers there"),
    /** No region for all memory. */
    NO_DMA_MR("makes regions over all DMA memory unusable; the driver does not offer them"),
    /** No fast registration. */
    NO_FAST_REG("has no fast registration; the driver does not offer it"),
    /** The pages of a region are found once. */
    MR_PAGES_HELD("maps the pages of a region when it is created and holds them; the driver cannot refresh it"),
    /** SGEs change after the doorbell. */
    WQE_SGES_REWRITTEN("may rewrite the SGEs of a posted work request; the driver never reads them again"),
    /** A GID stays resolved as before. */
    GID_REBIND_KEEPS_OLD("keeps using the old GID when an index is bound again; the driver unbinds first"),
    /** Such a GID cannot be unbound. */
    GID_ZERO_INTERFACE_ID("cannot unbind a GID whose last 8 bytes are zero; the driver refuses to bind one"),
    /** Binding reports success for a GID that does not work. */
    GID_MUST_RESOLVE("accepts a GID that the host does not have, and then refuses to use it; the driver sets a bound "
        + "GID index in every work request"),
    /** A datagram QP uses GID index 0 for its own start. */
    UD_USES_GID_INDEX_0("looks up GID index 0 when a datagram QP becomes ready; the driver asks for it to be bound"),
    /** The error state does nothing. */
    NO_FLUSH("does not flush work requests when a QP enters the error state; the driver makes those completions"),
    /** A QP cannot be used again after RESET. */
    QP_NOT_REUSABLE("cannot bring a QP from RESET to INIT a second time; the driver asks for a new QP"),
    /** Most attributes of a QP have no effect. */
    QP_ATTRS_FORCED("ignores MTU, timeouts, retries and access flags of a QP; the driver passes them on all the same"),
    /** The end of a QUERY_QP response is another struct. */
    QUERY_QP_GARBAGE("answers QUERY_QP with meaningless bytes behind the access flags; the driver clears them and "
        + "answers from what it set"),
    /** Every work request is a SEND. */
    SEND_ONLY("executes every work request as SEND; the driver refuses the other opcodes"),
    /** Immediate data is lost. */
    NO_IMMEDIATE("never delivers immediate data; the driver refuses SEND with immediate"),
    /** Every work request completes. */
    EVERYTHING_SIGNALED("completes unsignaled work requests too; the driver drops those completions"),
    /** The send queue never looks full. */
    QUEUE_NEVER_FULL("takes work requests off the ring before they complete; the driver counts them itself"),
    /** Completions vanish. */
    CQ_OVERFLOW_SILENT("loses completions when a CQ is full, without an event; the driver asks for CQs that are large "
        + "enough"),
    /** Completion flags are numbered as in libibverbs. */
    WC_FLAGS_IBV("reports completion flags in the numbering of libibverbs, also those of what it does not deliver; the "
        + "driver tells neither immediate data nor invalidated keys"),
    /** A work request that fails at once harms another. */
    FAILED_POST_LOSES_COMPLETION("may lose a completion of another QP after a work request failed; the driver checks "
        + "work requests before it posts them"),
    /** Address handles are shared by GID. */
    AH_CACHED_BY_GID("keeps the first address handle made for a destination GID for ever; use one PD for datagrams"),
    /** SRQ completions go to the youngest QP's CQ. */
    SRQ_USES_LAST_RECV_CQ("completes SRQ receives into the receive CQ of the QP created last; use one receive CQ for "
        + "all QPs of an SRQ, and post to it after the first QP exists"),
    /** There are no SRQ limit events. */
    NO_SRQ_LIMIT_EVENT("never sends the SRQ limit event; the driver reports it as missing"),
    /** The arm bits are inverted. */
    ARM_INVERTED("arms a CQ only when both arm bits are set; the driver sets both"),
    /** The POLL doorbell may meet the interrupt of a completion, and neither ends. */
    POLL_DEADLOCKS("stops for ever when a POLL doorbell meets the interrupt of a completion; the driver rings POLL "
        + "only before it destroys or flushes something, and only while no CQ is armed"),
    /** A thread of the device's may still be at work on a completion that was polled. */
    DESTROY_QP_RACES("crashes when a QP is destroyed before the device is done with a completion of it that is in the "
        + "CQ already; the driver waits for its interrupt, or asks for more, before it destroys the QP"),
    /** A notification for each completion. */
    NOTIFY_EVERY_CQE("queues a notification for each completion, armed or not; the driver takes the interrupt to mean "
        + "every armed CQ"),
    /** Destroying in the wrong order harms the host. */
    DESTROY_CQ_RACES("frees a CQ while completions may arrive; the driver destroys QPs first and polls once more"),
    /** The port looks down. */
    PORT_DOWN_ADVISORY("reports the port as down while data flows; the driver takes the state as advice"),
    /** Constants instead of port attributes. */
    PORT_ATTRS_CONSTANT("reports a maximum message size of 1024 and does not mean it; the driver does not enforce it"),
    /** The P_Key is a constant. */
    PKEY_CONSTANT("reports the P_Key 0xffff for every index; the driver checks the index"),
    /** Management QPs sleep. */
    GSI_SLEEPS("stops for hours when a management datagram finds no receive posted; the driver offers no GSI QP");

    private final String description;

    Quirk(final String description) {
        this.description = description;
    }

    /**
     * What the device does, and what the driver does about it.
     *
     * @return one line, beginning with a verb whose subject is the device.
     */
    public String description() {
        return description;
    }
}
