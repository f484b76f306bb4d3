/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.DomainAttributes;
import io.rdma4j.fabric.DomainModel;
import io.rdma4j.fabric.EndpointAttributes;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.ReceiveAttributes;
import io.rdma4j.fabric.TransmitAttributes;
import io.rdma4j.verbs.RdmaContext;

import java.util.Set;

/** What was found and negotiated. */
final class NegotiatedInfo implements FabricInfo {
    private final DeviceTraits device;
    private final RdmaContext context;
    private final int apiVersion;
    private final Set<Capability> capabilities;
    private final Set<Capability> deviceCapabilities;
    private final Agreement agreement;
    private final byte[] authKey;
    private final CacheAttributes cache;
    private final AddressFormat addressFormat;
    private final boolean avAuthKeys;
    private final EndpointAttributes endpoint;
    private final TransmitAttributes transmit;
    private final ReceiveAttributes receive;
    private final DomainModel domainModel;
    private final DomainAttributes domain;

    NegotiatedInfo(
        final DeviceTraits device, final EndpointKind kind, final Hints hints, final Set<Capability> able,
        final Set<Capability> given, final Agreement agreement, final byte[] authKey) throws Unfit {
        this.device = device;
        addressFormat = hints.addressFormat() == null ? AddressFormat.DEVICE : hints.addressFormat();
        this.agreement = agreement;
        this.authKey = authKey;
        context = hints.context();
        cache = hints.cache();
        avAuthKeys = hints.avAuthKeys();
        apiVersion = hints.apiVersion();
        deviceCapabilities = Set.copyOf(able);
        capabilities = Set.copyOf(given);
        final AttributeRules rules = new AttributeRules(device, kind, given);
        endpoint = rules.endpoint(authKey.length);
        transmit = rules.transmit(hints);
        receive = rules.receive();
        domainModel = rules.domainModel();
        domain = rules.domain(hints, agreement.mode());
    }

    @Override
    public String provider() {
        return Discovery.PROVIDER;
    }

    @Override
    public String fabricName() {
        return device.fabric();
    }

    @Override
    public String address() {
        return device.address();
    }

    @Override
    public String deviceName() {
        return device.name();
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public int apiVersion() {
        return apiVersion;
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public Set<Capability> deviceCapabilities() {
        return deviceCapabilities;
    }

    @Override
    public Set<MrMode> mrMode() {
        return agreement.mode();
    }

    @Override
    public boolean needs(final MrMode mode) {
        return agreement.needs(checked(mode));
    }

    @Override
    public String why(final MrMode mode) {
        return agreement.why(checked(mode));
    }

    @Override
    public boolean localMr() {
        return agreement.localMr();
    }

    @Override
    public EndpointType endpointType() {
        return endpoint.type();
    }

    @Override
    public AddressFormat addressFormat() {
        return addressFormat;
    }

    @Override
    public EndpointAttributes endpointAttributes() {
        return endpoint;
    }

    @Override
    public TransmitAttributes transmitAttributes() {
        return transmit;
    }

    @Override
    public ReceiveAttributes receiveAttributes() {
        return receive;
    }

    @Override
    public DomainModel domainModel() {
        return domainModel;
    }

    @Override
    public DomainAttributes domainAttributes() {
        return domain;
    }

    @Override
    public byte[] authKey() {
        return authKey.clone();
    }

    @Override
    public boolean avAuthKeys() {
        return avAuthKeys;
    }

    @Override
    public CacheAttributes cacheAttributes() {
        return new CacheAttributes(cache);
    }

    @Override
    public String describe() {
        return InfoText.describe(this);
    }

    @Override
    public String toString() {
        return InfoText.summary(this);
    }

    private static MrMode checked(final MrMode mode) {
        if (mode == null) {
            throw FabricException.of("ask for a mode bit").detail("mode is null").errno(FiErrno.FI_EINVAL).build();
        }
        return mode;
    }
}
