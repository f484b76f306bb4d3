/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.DeviceAttributes;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

import java.nio.ByteOrder;
import java.util.Map;

/** From {@code struct ibv_device_attr_ex}, read once. Sizes of queues are powers of two here, so limits are, too. */
final class IbvAttributes implements DeviceAttributes {
    /** What the largest devices have. SoftRoCE allows a million, which is more memory than machines have. */
    private static final int MAX_WR = 1 << 15;

    private final DirectBuffer attr;
    private final String name;
    private final int version;
    private final int transport;
    private final Map<String, String> details;
    private final int gidTableLength;
    private final int pkeyTableLength;

    /**
     * Takes what was asked of the device.
     *
     * @param attr    an {@code ibv_device_attr_ex}.
     * @param port    the {@code ibv_port_attr} of the first port: the lengths of its tables hold, whatever the device
     *                says of all ports.
     * @param device  the {@code ibv_device}.
     * @param driver  what drives it.
     * @param vectors completion vectors.
     */
    IbvAttributes(
        final DirectBuffer attr, final DirectBuffer port, final long device, final String driver, final int vectors) {
        final String title = Devices.name(device);
        this.attr = attr;
        this.name = title + " (" + driver + ')';
        this.version = Devices.abiVersion(device);
        this.transport = UnsafeApi.getInt(device + Abi.Device.TRANSPORT_TYPE);
        this.details = DeviceDetails.of(attr, title, vectors);
        this.gidTableLength = PortQuery.gidTableLength(port);
        this.pkeyTableLength = port.getShort(Abi.PortAttr.PKEY_TBL_LEN) & 0xffff;
    }

    private int number(final int offset) {
        return Math.max(0, attr.getInt(offset));
    }

    private int powerOfTwo(final int offset) {
        final int value = number(offset);
        return value == 0 ? 0 : Integer.highestOneBit(value);
    }

    int capFlags() {
        return attr.getInt(Abi.DeviceAttr.DEVICE_CAP_FLAGS);
    }

    int atomicCap() {
        return attr.getInt(Abi.DeviceAttr.ATOMIC_CAP);
    }

    /** Bits {@code IBV_ODP_SUPPORT} (1) and {@code IBV_ODP_SUPPORT_IMPLICIT} (2). */
    long odpGeneralCaps() {
        return attr.getLong(Abi.DeviceAttrEx.ODP_CAPS_GENERAL_CAPS);
    }

    /** What may be on demand on an RC: bits 1 SEND, 2 RECV, 4 WRITE, 8 READ, 16 atomics, 32 receives of a SRQ. */
    int odpRcCaps() {
        return attr.getInt(Abi.DeviceAttrEx.ODP_CAPS_PER_TRANSPORT_CAPS_RC_ODP_CAPS);
    }

    /** The same for datagrams. */
    int odpUdCaps() {
        return attr.getInt(Abi.DeviceAttrEx.ODP_CAPS_PER_TRANSPORT_CAPS_UD_ODP_CAPS);
    }

    /** The flags of {@link #capFlags()} and, above bit 31, those that came later. */
    long capFlagsEx() {
        return attr.getLong(Abi.DeviceAttrEx.DEVICE_CAP_FLAGS_EX);
    }

    /** Not every device tells how many elements a READ may have. */
    int maxSgeRead() {
        final int told = number(Abi.DeviceAttr.MAX_SGE_RD);
        return told == 0 ? maxSge() : told;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String firmwareVersion() {
        return Struct.text(attr.addressOffset() + Abi.DeviceAttr.FW_VER, Abi.DeviceAttr.FW_VER_LENGTH);
    }

    @Override
    public int deviceVersion() {
        return version;
    }

    @Override
    public int transportType() {
        return transport;
    }

    @Override
    public Map<String, String> details() {
        return details;
    }

    @Override
    public long nodeGuid() {
        return attr.getLong(Abi.DeviceAttr.NODE_GUID, ByteOrder.BIG_ENDIAN);
    }

    @Override
    public long systemImageGuid() {
        return attr.getLong(Abi.DeviceAttr.SYS_IMAGE_GUID, ByteOrder.BIG_ENDIAN);
    }

    @Override
    public int vendorId() {
        return attr.getInt(Abi.DeviceAttr.VENDOR_ID);
    }

    @Override
    public int vendorPartId() {
        return attr.getInt(Abi.DeviceAttr.VENDOR_PART_ID);
    }

    @Override
    public int hardwareVersion() {
        return attr.getInt(Abi.DeviceAttr.HW_VER);
    }

    @Override
    public int physicalPortCount() {
        return Math.max(1, attr.getByte(Abi.DeviceAttr.PHYS_PORT_CNT) & 0xff);
    }

    @Override
    public long maxMrSize() {
        final long told = attr.getLong(Abi.DeviceAttr.MAX_MR_SIZE);
        return told < 0 ? Long.MAX_VALUE : told;
    }

    @Override
    public long pageSizeCap() {
        return attr.getLong(Abi.DeviceAttr.PAGE_SIZE_CAP);
    }

    @Override
    public int maxQp() {
        return number(Abi.DeviceAttr.MAX_QP);
    }

    @Override
    public int maxQpWr() {
        return Math.min(Math.min(MAX_WR, maxCqe()), powerOfTwo(Abi.DeviceAttr.MAX_QP_WR));
    }

    @Override
    public int maxSendWr(final int maxSge) {
        return maxQpWr();
    }

    @Override
    public int maxReceiveWr(final int maxSge) {
        return maxQpWr();
    }

    @Override
    public int maxSge() {
        return number(Abi.DeviceAttr.MAX_SGE);
    }

    @Override
    public int maxCq() {
        return number(Abi.DeviceAttr.MAX_CQ);
    }

    @Override
    public int maxCqe() {
        return powerOfTwo(Abi.DeviceAttr.MAX_CQE);
    }

    @Override
    public int maxMr() {
        return number(Abi.DeviceAttr.MAX_MR);
    }

    @Override
    public int maxPd() {
        return number(Abi.DeviceAttr.MAX_PD);
    }

    @Override
    public int maxAh() {
        return number(Abi.DeviceAttr.MAX_AH);
    }

    @Override
    public int maxSrq() {
        return number(Abi.DeviceAttr.MAX_SRQ);
    }

    @Override
    public int maxSrqWr(final int maxSge) {
        return Math.min(Math.min(MAX_WR, maxCqe()), powerOfTwo(Abi.DeviceAttr.MAX_SRQ_WR));
    }

    @Override
    public int maxSrqSge() {
        return number(Abi.DeviceAttr.MAX_SRQ_SGE);
    }

    @Override
    public int maxQpRdAtom() {
        return Math.min(0xff, number(Abi.DeviceAttr.MAX_QP_RD_ATOM));
    }

    @Override
    public int maxQpInitRdAtom() {
        return Math.min(0xff, number(Abi.DeviceAttr.MAX_QP_INIT_RD_ATOM));
    }

    @Override
    public int maxMw() {
        return number(Abi.DeviceAttr.MAX_MW);
    }

    @Override
    public int maxFastRegPages() {
        return 0;
    }

    @Override
    public int maxPkeys() {
        return pkeyTableLength;
    }

    @Override
    public int gidTableLength() {
        return gidTableLength;
    }

    /** The size that a queue gets here. */
    static int roundUp(final int size) {
        return BitUtil.findNextPositivePowerOfTwo(size);
    }
}
