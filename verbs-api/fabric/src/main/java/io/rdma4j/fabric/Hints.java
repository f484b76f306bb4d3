/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.verbs.RdmaContext;

import java.util.EnumSet;
import java.util.Set;

/**
 * What is asked for (hints of fi_getinfo). A new one asks for any device and whatever it can do, and offers no mode
 * bit: memory is to be registered in the easiest way, which not every device can do. Not thread-safe; read when
 * {@link Fabrics#getInfo} is called.
 *
 * <pre>{@code
 * List<FabricInfo> found = Fabrics.getInfo(new Hints()
 *     .address("emulated:")
 *     .capabilities(Capability.MSG, Capability.RMA)
 *     .mrMode(MrMode.LOCAL, MrMode.VIRT_ADDR, MrMode.ALLOCATED, MrMode.PROV_KEY));
 * }</pre>
 */
public final class Hints {
    private static final String OPERATION = "ask for fabrics";

    private int apiVersion = Fabrics.VERSION;
    private String address;
    private RdmaContext context;
    private String provider;
    private String fabricName;
    private String domainName;
    private Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    private Set<MessageOrder> messageOrder = EnumSet.noneOf(MessageOrder.class);
    private Set<MrMode> mrMode = EnumSet.noneOf(MrMode.class);
    private Set<MrMode> demanded = EnumSet.noneOf(MrMode.class);
    private boolean localMr;
    private EndpointType endpointType;
    private AddressFormat addressFormat;
    private byte[] authKey = {};
    private boolean avAuthKeys;
    private CacheAttributes cache = new CacheAttributes();
    private DomainAttributes least = new DomainAttributes(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Nothing is asked for, and no mode bit is offered. */
    public Hints() {
        // All fields have their defaults.
    }

    /**
     * The version of the interfaces that the application was written for; it decides what mode bits mean.
     *
     * @param major such as 2.
     * @param minor such as 0.
     * @return this.
     * @throws FabricException FI_EINVAL if one is not from 0 to 65535 or both are 0.
     */
    public Hints apiVersion(final int major, final int minor) {
        apiVersion = Fabrics.version(major, minor);
        return this;
    }

    /**
     * Only this device.
     *
     * @param deviceAddress as {@link io.rdma4j.verbs.RdmaDevices#open} takes it; null for all that are there.
     * @return this.
     */
    public Hints address(final String deviceAddress) {
        address = deviceAddress;
        return this;
    }

    /**
     * Only this device, which the application has open: nothing is opened, and it is never closed by the fabric. For
     * devices that can be opened only once.
     *
     * @param openDevice the device; null to take it back.
     * @return this.
     */
    public Hints context(final RdmaContext openDevice) {
        context = openDevice;
        return this;
    }

    /**
     * Only this provider.
     *
     * @param name such as {@code "rdma4j"}; null for any.
     * @return this.
     */
    public Hints provider(final String name) {
        provider = name;
        return this;
    }

    /**
     * Only this fabric.
     *
     * @param name as {@link FabricInfo#fabricName()} tells; null for any.
     * @return this.
     */
    public Hints fabricName(final String name) {
        fabricName = name;
        return this;
    }

    /**
     * Only this domain.
     *
     * @param name as {@link DomainModel#name()} tells; null for any.
     * @return this.
     */
    public Hints domainName(final String name) {
        domainName = name;
        return this;
    }

    /**
     * What is needed. Nothing else is then offered, except what costs nothing; without any, all that costs nothing is.
     *
     * @param first one.
     * @param more  others.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints capabilities(final Capability first, final Capability... more) {
        capabilities = setOf(Capability.class, first, more);
        return this;
    }

    /**
     * What is needed.
     *
     * @param all copied; empty for whatever costs nothing.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints capabilities(final Set<Capability> all) {
        capabilities = copyOf(Capability.class, all);
        return this;
    }

    /**
     * Orders of operations that the application relies on (msg_order of fi_tx_attr and fi_rx_attr): only what keeps all
     * of them fits. What more is kept {@link TransmitAttributes#messageOrder()} tells.
     *
     * @param first one.
     * @param more  others.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints messageOrder(final MessageOrder first, final MessageOrder... more) {
        messageOrder = setOf(MessageOrder.class, first, more);
        return this;
    }

    /**
     * Orders of operations that the application relies on.
     *
     * @param all copied; empty for none.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints messageOrder(final Set<MessageOrder> all) {
        messageOrder = copyOf(MessageOrder.class, all);
        return this;
    }

    /**
     * The mode bits that the application can cope with: it promises to do what those say that stay set.
     *
     * @param first one.
     * @param more  others.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints mrMode(final MrMode first, final MrMode... more) {
        mrMode = setOf(MrMode.class, first, more);
        return this;
    }

    /**
     * The mode bits that the application can cope with.
     *
     * @param all copied; empty for none.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints mrMode(final Set<MrMode> all) {
        mrMode = copyOf(MrMode.class, all);
        return this;
    }

    /**
     * The mode bits that the application can cope with, as libfabric's numbers.
     *
     * @param bits or-ed bits; 0 for none.
     * @return this.
     * @throws FabricException FI_EBADFLAGS for a bit that is none of {@link MrMode}.
     */
    public Hints mrModeBits(final long bits) {
        mrMode = MrMode.of(bits);
        return this;
    }

    /**
     * Mode bits that shall stay set although no device needs them, to try a program with them: they are enforced as
     * by a provider that needs them. They have to be offered too.
     *
     * @param first one.
     * @param more  others.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints demand(final MrMode first, final MrMode... more) {
        demanded = setOf(MrMode.class, first, more);
        return this;
    }

    /**
     * Mode bits that shall stay set although no device needs them.
     *
     * @param all copied; empty for none.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints demand(final Set<MrMode> all) {
        demanded = copyOf(MrMode.class, all);
        return this;
    }

    /**
     * The deprecated mode bit FI_LOCAL_MR of applications from before version 1.5: local buffers will be registered.
     *
     * @param offered whether the application can do it. Ignored with {@link MrMode#LOCAL}.
     * @return this.
     */
    public Hints localMr(final boolean offered) {
        localMr = offered;
        return this;
    }

    /**
     * The kind of endpoints.
     *
     * @param type the kind; null for connected ones (MSG).
     * @return this.
     */
    public Hints endpointType(final EndpointType type) {
        endpointType = type;
        return this;
    }

    /**
     * How addresses are written.
     *
     * @param format the format; null for the device's own.
     * @return this.
     */
    public Hints addressFormat(final AddressFormat format) {
        addressFormat = format;
        return this;
    }

    /**
     * The authorization key of domains: only peers with the same one are reached. Ignored before version 1.5.
     *
     * @param key copied; null or empty for none.
     * @return this.
     */
    public Hints authKey(final byte[] key) {
        authKey = key == null ? new byte[0] : key.clone();
        return this;
    }

    /**
     * Authorization keys come through address vectors (auth_key_size is FI_AV_AUTH_KEY; checklist 3, 11, 12): regions
     * are registered with {@link MrAttributes#avAuthKey}, addresses are inserted with {@link AvInsert#authKey}. The
     * key of an endpoint is still that of {@link EndpointOptions#authKey}, or none.
     *
     * @param through true if so; then {@link #authKey} has to stay empty.
     * @return this.
     */
    public Hints avAuthKeys(final boolean through) {
        avAuthKeys = through;
        return this;
    }

    /**
     * How the registration caches of domains shall be. The environment and system properties go first.
     *
     * @param attributes copied.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public Hints cache(final CacheAttributes attributes) {
        cache = new CacheAttributes(Arguments.notNull(OPERATION, "the cache's attributes", attributes));
        return this;
    }

    /**
     * How many regions there shall be room for (mr_cnt).
     *
     * @param count 0 for the default.
     * @return this.
     * @throws FabricException FI_EINVAL if negative.
     */
    public Hints mrCount(final int count) {
        return atLeast(new DomainAttributes(least.mrKeySize(), least.mrIovLimit(), count, least.cqCount(),
            least.epCount(), least.cntrCount(), least.cqDataSize(), least.maxErrData(),
            least.maxEpSrxCtx()));
    }

    /**
     * How many buffers a region shall be able to have (mr_iov_limit).
     *
     * @param count 0 for whatever there is.
     * @return this.
     * @throws FabricException FI_EINVAL if negative.
     */
    public Hints mrIovLimit(final int count) {
        return atLeast(new DomainAttributes(least.mrKeySize(), count, least.mrCount(), least.cqCount(),
            least.epCount(), least.cntrCount(), least.cqDataSize(), least.maxErrData(),
            least.maxEpSrxCtx()));
    }

    /**
     * All limits that domains shall have at least.
     *
     * @param limits 0 in each place where it does not matter. Replaces what was asked for before.
     * @return this.
     * @throws FabricException FI_EINVAL for null or a negative limit.
     */
    public Hints atLeast(final DomainAttributes limits) {
        Arguments.notNull(OPERATION, "limits", limits);
        notNegative("mr_key_size", limits.mrKeySize());
        notNegative("mr_iov_limit", limits.mrIovLimit());
        notNegative("mr_cnt", limits.mrCount());
        notNegative("cq_cnt", limits.cqCount());
        notNegative("ep_cnt", limits.epCount());
        notNegative("cntr_cnt", limits.cntrCount());
        notNegative("cq_data_size", limits.cqDataSize());
        notNegative("max_err_data", limits.maxErrData());
        notNegative("max_ep_srx_ctx", limits.maxEpSrxCtx());
        least = limits;
        return this;
    }

    /**
     * The version, as {@link Fabrics#version} makes it.
     *
     * @return {@link Fabrics#VERSION} if not set.
     */
    public int apiVersion() {
        return apiVersion;
    }

    /**
     * The device.
     *
     * @return null for all.
     */
    public String address() {
        return address;
    }

    /**
     * The open device.
     *
     * @return null if not set.
     */
    public RdmaContext context() {
        return context;
    }

    /**
     * The provider.
     *
     * @return null for any.
     */
    public String provider() {
        return provider;
    }

    /**
     * The fabric.
     *
     * @return null for any.
     */
    public String fabricName() {
        return fabricName;
    }

    /**
     * The domain.
     *
     * @return null for any.
     */
    public String domainName() {
        return domainName;
    }

    /**
     * What is needed.
     *
     * @return a copy.
     */
    public Set<Capability> capabilities() {
        return EnumSet.copyOf(capabilities);
    }

    /**
     * Orders of operations that are relied on.
     *
     * @return a copy.
     */
    public Set<MessageOrder> messageOrder() {
        return EnumSet.copyOf(messageOrder);
    }

    /**
     * What is offered.
     *
     * @return a copy.
     */
    public Set<MrMode> mrMode() {
        return EnumSet.copyOf(mrMode);
    }

    /**
     * What is demanded.
     *
     * @return a copy.
     */
    public Set<MrMode> demanded() {
        return EnumSet.copyOf(demanded);
    }

    /**
     * Whether FI_LOCAL_MR is offered.
     *
     * @return as given.
     */
    public boolean localMr() {
        return localMr;
    }

    /**
     * The kind of endpoints.
     *
     * @return null for connected ones.
     */
    public EndpointType endpointType() {
        return endpointType;
    }

    /**
     * How addresses are written.
     *
     * @return null for the device's own format.
     */
    public AddressFormat addressFormat() {
        return addressFormat;
    }

    /**
     * The authorization key.
     *
     * @return a copy; empty for none.
     */
    public byte[] authKey() {
        return authKey.clone();
    }

    /**
     * Whether authorization keys come through address vectors.
     *
     * @return as given.
     */
    public boolean avAuthKeys() {
        return avAuthKeys;
    }

    /**
     * How registration caches shall be.
     *
     * @return a copy; nothing is set in it by default.
     */
    public CacheAttributes cache() {
        return new CacheAttributes(cache);
    }

    /**
     * Limits that domains shall have at least.
     *
     * @return 0 in each place where it does not matter.
     */
    public DomainAttributes atLeast() {
        return least;
    }

    private static void notNegative(final String name, final int value) {
        if (value < 0) {
            throw FabricException.of(OPERATION).detail("%s is %d", name, value).errno(FiErrno.FI_EINVAL)
                .hint("give 0 where it does not matter").build();
        }
    }

    @SafeVarargs
    private static <E extends Enum<E>> Set<E> setOf(final Class<E> type, final E first, final E... more) {
        Arguments.notNull(OPERATION, type.getSimpleName(), first);
        final Set<E> set = EnumSet.of(first);
        for (final E one : Arguments.notNull(OPERATION, type.getSimpleName(), more)) {
            set.add(Arguments.notNull(OPERATION, type.getSimpleName(), one));
        }
        return set;
    }

    private static <E extends Enum<E>> Set<E> copyOf(final Class<E> type, final Set<E> all) {
        final Set<E> set = EnumSet.noneOf(type);
        for (final E one : Arguments.notNull(OPERATION, type.getSimpleName(), all)) {
            set.add(Arguments.notNull(OPERATION, type.getSimpleName(), one));
        }
        return set;
    }
}
