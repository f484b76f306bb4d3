/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.verbs.PinnedMemory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;

/**
 * What to register (struct fi_mr_attr; checklist 1-21). What is not set has its default. Not thread-safe; can be used
 * several times.
 *
 * <p>Several buffers become one region with one key, in the order in which they are added: peers see them as one
 * range without a gap, and this side by one descriptor; what this side sends or receives is inside of one buffer.
 * The device translates by pages of 4 KiB: buffers of which every one but the first begins at a page, and every one
 * but the last ends at one, are one region there, of at most 16 GiB; others, and all on a device without {@link
 * io.rdma4j.verbs.Feature#PAGE_LISTS}, become several there, which count against its limit (max_mr), and with rights
 * for peers one more that tells them of these. Buffers that touch each other in memory, of one owner, count as one.
 * {@link Domain#allocate} gives whole pages.
 *
 * <p>An RMA operation of a peer needs a work request for each of the device's regions that it touches, and one more:
 * what needs more than its send queue has is refused there, FI_EMSGSIZE (see {@link EndpointOptions#sizes}). An
 * atomic is inside of one buffer, else it completes with FI_EINVAL. Where the device has no RDMA READ, or no keys
 * for peers, it cannot tell them of several: then rights for peers are refused, FI_ENOSYS.
 */
public final class MrAttributes {
    private static final String OPERATION = "describe a region";

    private final List<Piece> pieces = new ArrayList<>();
    private DmaBufRange dmabuf;
    private Set<MrAccess> access = EnumSet.noneOf(MrAccess.class);
    private long offset;
    private long requestedKey;
    private Object context;
    private byte[] authKey;
    private AddressVector keyVector;
    private long keySource = FiAddr.NOTAVAIL;
    private HmemIface iface = HmemIface.SYSTEM;
    private long device;
    private Object hmemData;
    private long pageSize;
    private Set<MrFlag> flags = EnumSet.noneOf(MrFlag.class);

    /** Nothing is set. */
    public MrAttributes() {
        // All fields have their defaults.
    }

    /**
     * A buffer (struct iovec).
     *
     * @param address first byte.
     * @param length  bytes.
     * @param owner   what keeps it mapped; held until the region is closed; null for none.
     */
    public record Piece(long address, long length, Object owner) {
    }

    /**
     * A part of a dma-buf (struct fi_mr_dmabuf; checklist 15).
     *
     * @param fd          file descriptor of the dma-buf.
     * @param offset      where the region begins in it.
     * @param length      bytes.
     * @param baseAddress where the dma-buf is mapped, page-aligned; 0 if it is not: then its addresses begin at 0.
     */
    public record DmaBufRange(int fd, long offset, long length, long baseAddress) {
    }

    /**
     * Adds a buffer by its address. The caller keeps it as long as the region lives.
     *
     * @param address first byte.
     * @param length  bytes.
     * @return this.
     */
    public MrAttributes buffer(final long address, final long length) {
        return buffer(address, length, null);
    }

    /**
     * Adds a buffer by its address, and what keeps it.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param owner   held until the region is closed; null for none.
     * @return this.
     */
    public MrAttributes buffer(final long address, final long length, final Object owner) {
        pieces.add(new Piece(address, length, owner));
        return this;
    }

    /**
     * Adds a direct buffer, from its position to its limit as they are now. One that is read-only is for rights that
     * only read it.
     *
     * @param buffer kept from being collected.
     * @return this.
     * @throws FabricException FI_EINVAL for null and for a buffer on the Java heap.
     */
    public MrAttributes buffer(final ByteBuffer buffer) {
        Arguments.notNull(OPERATION, "buffer", buffer);
        requireDirect(buffer.isDirect(), buffer);
        return buffer(BufferUtil.address(buffer) + buffer.position(), buffer.remaining(), buffer);
    }

    /**
     * Adds an Agrona buffer over direct memory, from 0 to its capacity.
     *
     * @param buffer what is under it is kept from being collected.
     * @return this.
     * @throws FabricException FI_EINVAL for null and for a buffer on the Java heap.
     */
    public MrAttributes buffer(final DirectBuffer buffer) {
        Arguments.notNull(OPERATION, "buffer", buffer);
        final ByteBuffer under = buffer.byteBuffer();
        requireDirect(buffer.byteArray() == null && (under == null || under.isDirect()), buffer);
        return buffer(buffer.addressOffset(), buffer.capacity(), under == null ? buffer : under);
    }

    /**
     * Adds all of a piece of memory that was allocated from the device.
     *
     * @param memory of the same domain.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public MrAttributes buffer(final PinnedMemory memory) {
        Arguments.notNull(OPERATION, "memory", memory);
        return buffer(memory.address(), memory.length(), memory);
    }

    private static void requireDirect(final boolean direct, final Object buffer) {
        if (!direct) {
            throw FabricException.of(OPERATION).detail("%s is on the Java heap, where it may move", buffer)
                .errno(FiErrno.FI_EINVAL).hint("use ByteBuffer.allocateDirect, or Domain.allocate").build();
        }
    }

    /**
     * A part of a dma-buf, in place of buffers; with {@link MrFlag#DMABUF}.
     *
     * @param range the part; null for none.
     * @return this.
     */
    public MrAttributes dmabuf(final DmaBufRange range) {
        dmabuf = range;
        return this;
    }

    /**
     * What the region may be used for.
     *
     * @param rights at least one in the end.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public MrAttributes access(final MrAccess... rights) {
        final Set<MrAccess> set = EnumSet.noneOf(MrAccess.class);
        for (final MrAccess right : Arguments.notNull(OPERATION, "access", rights)) {
            set.add(Arguments.notNull(OPERATION, "a right", right));
        }
        return access(set);
    }

    /**
     * What the region may be used for.
     *
     * @param rights copied.
     * @return this.
     * @throws FabricException FI_EINVAL for null, and for null in the set.
     */
    public MrAttributes access(final Set<MrAccess> rights) {
        final Set<MrAccess> set = EnumSet.noneOf(MrAccess.class);
        set.addAll(Arguments.allNotNull(OPERATION, "access", rights));
        access = set;
        return this;
    }

    /**
     * Reserved (checklist 5).
     *
     * @param value must be 0.
     * @return this.
     */
    public MrAttributes offset(final long value) {
        offset = value;
        return this;
    }

    /**
     * The key that peers shall use (checklist 7).
     *
     * @param key ignored with {@link MrMode#PROV_KEY} and without remote rights.
     * @return this.
     */
    public MrAttributes requestedKey(final long key) {
        requestedKey = key;
        return this;
    }

    /**
     * Comes back with the event of an asynchronous registration.
     *
     * @param value may be null.
     * @return this.
     */
    public MrAttributes context(final Object value) {
        context = value;
        return this;
    }

    /**
     * Which authorization keys of a vector reach the region (struct fi_mr_auth_key; checklist 12), in domains with
     * {@link Hints#avAuthKeys}.
     *
     * @param vector the vector.
     * @param source {@link FiAddr#NOTAVAIL} for all keys that are in it now; one key, with {@link MrFlag#AUTH_KEY}; or
     *               the key of one peer, which needs {@link Capability#DIRECTED_RECV}: whoever has it, too, is let in.
     * @return this.
     */
    public MrAttributes avAuthKey(final AddressVector vector, final long source) {
        keyVector = vector;
        keySource = source;
        return this;
    }

    /**
     * The vector whose authorization keys reach the region.
     *
     * @return null if not set.
     */
    public AddressVector keyVector() {
        return keyVector;
    }

    /**
     * Which key or peer of the vector.
     *
     * @return as given.
     */
    public long keySource() {
        return keySource;
    }

    /**
     * The authorization key (checklist 11).
     *
     * @param key copied; null or empty for the domain's.
     * @return this.
     */
    public MrAttributes authKey(final byte[] key) {
        authKey = key == null || key.length == 0 ? null : key.clone();
        return this;
    }

    /**
     * Who allocated the memory (checklist 13). Ignored unless {@link Capability#HMEM} was asked for.
     *
     * @param interfaceOfMemory the interface.
     * @param deviceOfMemory    which device, as that interface counts them; ignored for {@link HmemIface#SYSTEM}.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public MrAttributes iface(final HmemIface interfaceOfMemory, final long deviceOfMemory) {
        iface = Arguments.notNull(OPERATION, "iface", interfaceOfMemory);
        device = deviceOfMemory;
        return this;
    }

    /**
     * Reserved (checklist 13).
     *
     * @param value must be null.
     * @return this.
     */
    public MrAttributes hmemData(final Object value) {
        hmemData = value;
        return this;
    }

    /**
     * A hint at the best page size (checklist 16). One that the operating system does not have is refused; else the
     * provider chooses, so that memory of smaller pages works, too.
     *
     * @param bytes 0 for the provider's choice; else a page size of the operating system.
     * @return this.
     */
    public MrAttributes pageSize(final long bytes) {
        pageSize = bytes;
        return this;
    }

    /**
     * Flags of the registration.
     *
     * @param some flags.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public MrAttributes flags(final MrFlag... some) {
        final Set<MrFlag> set = EnumSet.noneOf(MrFlag.class);
        for (final MrFlag flag : Arguments.notNull(OPERATION, "flags", some)) {
            set.add(Arguments.notNull(OPERATION, "a flag", flag));
        }
        flags = set;
        return this;
    }

    /**
     * Device number of a Level Zero device (fi_hmem_ze_device; checklist 14).
     *
     * @param driverIndex from 0 to 65535.
     * @param deviceIndex from 0 to 65535.
     * @return for {@link #iface}.
     * @throws FabricException FI_EINVAL for an index out of range.
     */
    public static long zeDevice(final int driverIndex, final int deviceIndex) {
        if ((driverIndex | deviceIndex) >>> Short.SIZE != 0) {
            throw FabricException.of("encode a Level Zero device")
                .detail("driver %d, device %d: each must be 0 to 65535", driverIndex, deviceIndex)
                .errno(FiErrno.FI_EINVAL).build();
        }
        return (long) driverIndex << Short.SIZE | deviceIndex;
    }

    /**
     * The buffers.
     *
     * @return an unmodifiable view.
     */
    public List<Piece> buffers() {
        return Collections.unmodifiableList(pieces);
    }

    /**
     * The dma-buf.
     *
     * @return null if there is none.
     */
    public DmaBufRange dmabuf() {
        return dmabuf;
    }

    /**
     * What the region may be used for.
     *
     * @return an unmodifiable view.
     */
    public Set<MrAccess> accessRights() {
        return Collections.unmodifiableSet(access);
    }

    /**
     * Reserved.
     *
     * @return as given.
     */
    public long offset() {
        return offset;
    }

    /**
     * The key that was asked for.
     *
     * @return as given; 0 if not given.
     */
    public long requestedKey() {
        return requestedKey;
    }

    /**
     * The context.
     *
     * @return may be null.
     */
    public Object context() {
        return context;
    }

    /**
     * The authorization key.
     *
     * @return a copy; null for the domain's.
     */
    public byte[] authKey() {
        return authKey == null ? null : authKey.clone();
    }

    /**
     * Who allocated the memory.
     *
     * @return never null.
     */
    public HmemIface iface() {
        return iface;
    }

    /**
     * Which device the memory belongs to.
     *
     * @return as given.
     */
    public long device() {
        return device;
    }

    /**
     * Reserved.
     *
     * @return as given.
     */
    public Object hmemData() {
        return hmemData;
    }

    /**
     * The hint at a page size.
     *
     * @return as given; 0 if not given.
     */
    public long pageSize() {
        return pageSize;
    }

    /**
     * The flags.
     *
     * @return an unmodifiable view.
     */
    public Set<MrFlag> flagSet() {
        return Collections.unmodifiableSet(flags);
    }
}
