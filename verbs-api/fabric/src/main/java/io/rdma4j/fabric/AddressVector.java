/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * An address vector (fi_av; checklist 66-92): gives addresses of endpoints short names, {@code fi_addr}, by which
 * operations name their peers. Thread-safe: one call at a time changes it, others wait for it; the data path of
 * endpoints reads it meanwhile, without waiting.
 *
 * <p>Type TABLE: a name is an index, and the lowest that is free is taken. Type MAP: a name is a handle that also says
 * which life of its place is meant, so that one that was removed is refused even if its place is used again.
 *
 * <p>Duplicates: an address that is inserted a second time gets a second name; operations take either; a receive
 * reports the one that was inserted first and is still there.
 *
 * <p>Sources of names that need a network (services, host names) are asked with a deadline, see
 * {@link #insertService}; while that lasts other threads can read and change the vector.
 */
public interface AddressVector extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that it was opened from.
     */
    Domain domain();

    /**
     * The type.
     *
     * @return MAP or TABLE, chosen by the provider if UNSPEC was asked for.
     */
    AvType type();

    /**
     * How its addresses are written.
     *
     * @return the domain's.
     */
    AddressFormat format();

    /**
     * The context that was given with the attributes.
     *
     * @return may be null.
     */
    Object context();

    /**
     * Bits of an address that name a receive context.
     *
     * @return as it was opened with; of a vector that was opened by its name for reading, as it was made.
     */
    int rxCtxBits();

    /**
     * The name under which it is shared.
     *
     * @return null for a vector of this process.
     */
    String name();

    /**
     * The base of addresses (map_addr), as given or chosen.
     *
     * @return 0 for a vector of this process.
     */
    long mapAddress();

    /**
     * Addresses that are in it.
     *
     * @return 0 or more.
     */
    long size();

    /**
     * Bytes that it takes in memory, for its addresses and to find them by source; for reports.
     *
     * @return 0 or more.
     */
    long memoryUse();

    /**
     * Has insertions reported (fi_av_bind; checklist 75).
     *
     * @param queue an event queue of the same fabric.
     * @param flags must be 0.
     * @throws FabricException FI_EINVAL for null, a queue of another fabric, or a vector without EVENT; FI_EBADFLAGS;
     *                         FI_EBUSY if one is bound; FI_EBADFD if closed.
     */
    void bind(EventQueue queue, long flags);

    /**
     * Inserts addresses (fi_av_insert; checklist 76-82). Bad ones harm nothing but themselves. One that nobody has, or
     * that this device does not reach, is not bad: its peer may come later, and other processes of a shared vector may
     * reach it. Whoever sends there is told at once, FI_EHOSTUNREACH. Sockets have to be known to the name service.
     *
     * @param addresses one after the other, each as long as the format says ({@link FabricAddress#size}); not for STR.
     *                  Those in memory that is gone are bad: FI_EFAULT.
     *                  Must stay as it is until an asynchronous insertion is over.
     * @param offset    of the first.
     * @param count     how many, 0 or more.
     * @param fiAddrs   where their names go, {@link FiAddr#NOTAVAIL} for those that failed; null only for TABLE
     *                  without identifiers, and for a count of 0. Must stay until an asynchronous insertion is over.
     * @param options   flags and context; null for none.
     * @return how many were inserted; 0 from an asynchronous vector, which tells by events: one error for each that
     *         failed, with its index as {@link EventEntry#data()}, then one {@link FabricEvent#AV_COMPLETE} with how
     *         many were inserted.
     * @throws FabricException FI_EINVAL for a negative count, ranges outside of buffers or arrays that are too short,
     *                         the wrong format, or an {@link AvInsert#authKey(long)} that names no key; FI_ENOSYS for
     *                         user identifiers of a shared vector; FI_ENOEQ if asynchronous and no queue is bound;
     *                         FI_ENOMEM if asynchronous and there is no thread for it; FI_EACCES if it is for reading
     *                         only; FI_EBADFD if closed. Then nothing was inserted.
     */
    int insert(DirectBuffer addresses, int offset, int count, long[] fiAddrs, AvInsert options);

    /**
     * Inserts addresses, of any format but that of the vector's only.
     *
     * @param addresses copied.
     * @param fiAddrs   where their names go, as above.
     * @param options   flags and context; null for none.
     * @return as above.
     * @throws FabricException as above; null among the addresses is a bad address (FI_EINVAL), as is one of another
     *                         format.
     */
    int insert(FabricAddress[] addresses, long[] fiAddrs, AvInsert options);

    /**
     * Inserts addresses written as text (FI_ADDR_STR), into a vector of that format.
     *
     * @param addresses copied.
     * @param fiAddrs   where their names go, as above.
     * @param options   flags and context; null for none.
     * @return as above.
     * @throws FabricException as above.
     */
    int insert(String[] addresses, long[] fiAddrs, AvInsert options);

    /**
     * Inserts one address.
     *
     * @param address of this vector's format.
     * @return its name.
     * @throws FabricException what is wrong with it; FI_EINVAL for an asynchronous vector, FI_ENOEQ if
     *                         no queue is bound to it; FI_EACCES if it is for reading only; FI_EBADFD if closed; of a
     *                         shared one also what {@link #remove} says.
     */
    long insert(FabricAddress address);

    /**
     * Inserts by names (fi_av_insertsvc; checklist 83). The name service of the node says which endpoint a service is
     * (docs/fabric.md); names are resolved within {@code rdma4j.resolve.timeout.ms}, 5 s by default.
     *
     * @param node    host name or address; or an address as text (FI_ADDR_STR), then without a service.
     * @param service number of a service, 1 to 65535, or a name of /etc/services.
     * @param fiAddrs one place, as above.
     * @param options flags and context; null for none.
     * @return 1 or 0, as above.
     * @throws FabricException as above; what is wrong with the names is told as for a bad address.
     */
    int insertService(String node, String service, long[] fiAddrs, AvInsert options);

    /**
     * Inserts ranges (fi_av_insertsym; checklist 84): all services of a node, then the next node. IPv4 and IPv6
     * addresses count up with carry; a name counts up in the number at its end, keeping zeros in front
     * ({@code host09}, {@code host10}).
     *
     * @param node         first node: host name or address; GIDs in the device's own format.
     * @param nodeCount    how many, 0 or more.
     * @param service      first service; in the device's own format also a queue pair number, written {@code qpn:17},
     *                     or {@code qpn:17/0x1ee7} with a queue key: then nobody is asked.
     * @param serviceCount how many, 0 or more.
     * @param fiAddrs      nodeCount times serviceCount places, as above.
     * @param options      flags and context; null for none.
     * @return as above.
     * @throws FabricException as above; FI_EINVAL for a name without a number at its end and more than one node, and
     *                         for ranges that leave what can be counted.
     */
    int insertSymmetric(
        String node, int nodeCount, String service, int serviceCount, long[] fiAddrs, AvInsert options);

    /**
     * Takes addresses out (fi_av_remove; checklist 85, 92). All that are in it are taken out, also if others are bad.
     *
     * @param fiAddrs their names.
     * @param count   how many of the array.
     * @param flags   must be 0.
     * @throws FabricException FI_EINVAL for null or a wrong count, and, with the first such index and how many there
     *                         are, if names are not in it; FI_EBADFLAGS; FI_EACCES if it is for reading only;
     *                         FI_EBADFD if closed. Of a shared one also FI_EAGAIN if others are changing it for five
     *                         seconds, FI_EINTR for a thread that is interrupted, FI_EIO if it is damaged: then
     *                         nothing was taken out.
     */
    void remove(long[] fiAddrs, int count, long flags);

    /**
     * Tells an address (fi_av_lookup; checklist 86).
     *
     * @param fiAddr its name.
     * @return the address, as it was inserted.
     * @throws FabricException FI_EINVAL for a name that is not in it, FI_EBADFD if closed.
     */
    FabricAddress lookup(long fiAddr);

    /**
     * Tells an address without allocating, in a format with a fixed size.
     *
     * @param fiAddr its name.
     * @param to     where to write as much of it as there is room for; null with an offset and a length of 0, to learn
     *               the size.
     * @param offset first byte.
     * @param length room, 0 or more.
     * @return bytes that the whole address needs; or a negated errno: -FI_EINVAL, -FI_EBADFD.
     */
    int lookup(long fiAddr, MutableDirectBuffer to, int offset, int length);

    /**
     * Writes an address as text (fi_av_straddr; checklist 87). It need not have been inserted.
     *
     * @param address of the vector's format.
     * @return text, such as {@code fi_sockaddr_in://127.0.0.1:7000}.
     * @throws FabricException FI_EINVAL for null or another format, FI_EBADFD if closed.
     */
    String straddr(FabricAddress address);

    /**
     * Writes an address as text, ended by a 0, into a buffer: as much as there is room for.
     *
     * @param address of the vector's format.
     * @param to      where to; null with an offset and a length of 0, to learn the size.
     * @param offset  first byte.
     * @param length  room, 0 or more.
     * @return bytes that all of it needs, with the 0.
     * @throws FabricException as above; FI_EINVAL for a range outside of the buffer.
     */
    int straddr(FabricAddress address, MutableDirectBuffer to, int offset, int length);

    /**
     * Changes what completions report as source (fi_av_set_user_id).
     *
     * @param fiAddr an address in it.
     * @param userId anything.
     * @param flags  must be 0.
     * @throws FabricException FI_EINVAL for a name that is not in it, FI_EBADFLAGS, FI_ENOSYS for a shared vector,
     *                         FI_EBADFD if closed.
     */
    void userId(long fiAddr, long userId, long flags);

    /**
     * Inserts an authorization key (fi_av_insert_auth_key), in domains with {@link Hints#avAuthKeys}.
     *
     * @param key   copied.
     * @param flags must be 0.
     * @return its name, of its own kind; the same for the same key.
     * @throws FabricException FI_EINVAL for null or empty keys and domains without, FI_EBADFLAGS, FI_EBADFD.
     */
    long insertAuthKey(byte[] key, long flags);

    /**
     * Tells an authorization key (fi_av_lookup_auth_key).
     *
     * @param fiAddr of {@link #insertAuthKey}, or of an address that was inserted with one.
     * @return a copy.
     * @throws FabricException FI_EINVAL for a name that is none of these, FI_EBADFD.
     */
    byte[] lookupAuthKey(long fiAddr);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it. Insertions under way are ended: what was not attempted fails with FI_ECANCELED, and all events are
     * still written. Events that nobody read stay in the queue. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while endpoints are bound to it; FI_ETIMEDOUT if an insertion under way does not
     *                         end within a minute: it is closed then, but what the insertion uses stays; FI_EAGAIN
     *                         if another process is changing a shared one for five seconds: this process has it open
     *                         yet, and its addresses are its own. Closing it again tries again what failed.
     */
    @Override
    void close();
}
