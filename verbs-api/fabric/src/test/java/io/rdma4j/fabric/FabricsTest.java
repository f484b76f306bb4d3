/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Discovery as an application sees it, with the devices of this machine. */
@Timeout(60)
class FabricsTest {
    private static final String EMULATED = "emulated:fabrics-test";
    private static final String LIKE_QEMU = "emulated:fabrics-test?quirks=qemu-7.2";

    private static Hints hints(final String address) {
        return new Hints().address(address);
    }

    private static void assertFails(final int errno, final Hints hints, final String... words) {
        assertThatThrownBy(() -> Fabrics.getInfo(hints)).isInstanceOfSatisfying(FabricException.class, e -> {
            assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno);
            assertThat(e.getMessage()).contains(words);
        });
    }

    @Test
    void theEmulatedDeviceNeedsNoBit() {
        final List<FabricInfo> found = Fabrics.getInfo(hints(EMULATED));
        assertThat(found).hasSize(1);
        final FabricInfo info = found.get(0);
        assertThat(info.mrMode()).isEmpty();
        assertThat(info.address()).isEqualTo(EMULATED);
        assertThat(info.provider()).isEqualTo("rdma4j");
        assertThat(info.capabilities()).contains(Capability.MSG, Capability.RMA, Capability.ATOMIC);
        assertThat(info.endpointType()).isEqualTo(EndpointType.MSG);
        assertThat(info.domainAttributes().mrCount()).isEqualTo(4096);
        assertThat(info.context()).isNull();
        assertThatThrownBy(() -> info.mrMode().add(MrMode.RAW)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> info.capabilities().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    /** Opened for a moment only: else the second opening would find it in use. */
    @Test
    void nothingStaysOpen() {
        Fabrics.getInfo(hints(EMULATED));
        try (RdmaContext context = RdmaDevices.open(EMULATED)) {
            assertThat(context.isClosed()).isFalse();
        }
    }

    @Test
    void withoutAnAddressTheEmulatedDeviceIsAmongThem() {
        assertThat(Fabrics.getInfo(new Hints())).extracting(FabricInfo::address)
            .contains(RdmaDevices.DEFAULT_ADDRESS);
    }

    @Test
    void aDeviceThatNeedsPagesSaysSo() {
        assertFails(FiErrno.FI_ENODATA, hints(LIKE_QEMU), LIKE_QEMU, "needs FI_MR_ALLOCATED");
        final FabricInfo info = Fabrics.getInfo(hints(LIKE_QEMU)
            .mrMode(EnumSet.range(MrMode.LOCAL, MrMode.COLLECTIVE))).get(0);
        assertThat(info.mrMode()).containsExactly(MrMode.ALLOCATED);
        assertThat(info.capabilities()).doesNotContain(Capability.RMA);
        assertFails(FiErrno.FI_ENODATA, hints(LIKE_QEMU).capabilities(Capability.RMA), "cannot give FI_RMA");
    }

    @Test
    void whatCannotBeOpenedIsLeftOut() {
        assertFails(FiErrno.FI_ENODATA, hints("vfio:ffff:ff:1f.7"), "vfio:ffff:ff:1f.7", "cannot be looked at");
        assertFails(FiErrno.FI_ENODATA, hints("nowhere:"), "nowhere:", "no provider for scheme");
        assertFails(FiErrno.FI_ENODATA, hints("no address"), "no address");
        final Survey survey = Fabrics.survey(hints("nowhere:"));
        assertThat(survey.found()).isEmpty();
        assertThat(survey.leftOut()).singleElement().asString().startsWith("nowhere: ");
    }

    @Test
    void whatDevicesNeedIsNoAdviceWhereNoneCouldBeOpened() {
        assertThatThrownBy(() -> Fabrics.getInfo(hints("nowhere:"))).hasMessageNotContaining("fi_info");
        assertThat(Fabrics.survey(hints("nowhere:")).unfit()).isFalse();
        assertThatThrownBy(() -> Fabrics.getInfo(hints(LIKE_QEMU))).hasMessageContaining("fi_info");
        assertThat(Fabrics.survey(hints(LIKE_QEMU)).unfit()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(EndpointType.class)
    void eachKindOfEndpointsIsGivenInEachFormat(final EndpointType type) {
        for (final AddressFormat format : AddressFormat.values()) {
            final FabricInfo info =
                Fabrics.getInfo(hints(EMULATED).endpointType(type).addressFormat(format)).get(0);
            assertThat(info.endpointType()).isEqualTo(type);
            assertThat(info.endpointAttributes().type()).isEqualTo(type);
            assertThat(info.addressFormat()).isEqualTo(format);
        }
        assertThat(Fabrics.getInfo(hints(EMULATED).endpointType(type)).get(0).addressFormat())
            .isEqualTo(AddressFormat.DEVICE);
    }

    @Test
    void withoutAKindThereAreConnectedEndpoints() {
        assertThat(Fabrics.getInfo(hints(EMULATED))).singleElement()
            .extracting(FabricInfo::endpointType).isEqualTo(EndpointType.MSG);
    }

    /** Checklist 3. */
    @Test
    void keysComeThroughVectorsWhereOneKnowsWhoSends() {
        final Hints rdm = hints(EMULATED).endpointType(EndpointType.RDM).avAuthKeys(true);
        final FabricInfo info = Fabrics.getInfo(rdm).get(0);
        assertThat(info.avAuthKeys()).isTrue();
        assertThat(info.describe()).contains("auth_key_size: FI_AV_AUTH_KEY");
        assertThat(Fabrics.getInfo(hints(EMULATED)).get(0).avAuthKeys()).isFalse();
        assertFails(FiErrno.FI_ENODATA, hints(EMULATED).avAuthKeys(true), "FI_EP_RDM only", "no address vector");
        assertFails(FiErrno.FI_ENODATA, hints(EMULATED).endpointType(EndpointType.DGRAM).avAuthKeys(true), "queue key");
        assertFails(FiErrno.FI_ENODATA, rdm.authKey(new byte[3]), "3 bytes");
        assertFails(FiErrno.FI_ENODATA, rdm.authKey(null).apiVersion(1, 19), "1.20");
    }

    @Test
    void namesAndFormatsHaveToFit() {
        final FabricInfo info = Fabrics.getInfo(hints(EMULATED)).get(0);
        assertThat(Fabrics.getInfo(hints(EMULATED).provider("rdma4j").fabricName(info.fabricName())
            .domainName(info.domainModel().name()).addressFormat(info.addressFormat())
            .endpointType(EndpointType.MSG))).hasSize(1);
        assertFails(FiErrno.FI_ENODATA, hints(EMULATED).provider("verbs"), "rdma4j", "verbs");
        assertFails(FiErrno.FI_ENODATA, hints(EMULATED).fabricName("other"), info.fabricName(), "other");
        assertFails(FiErrno.FI_ENODATA, hints(EMULATED).domainName("other"), EMULATED, "other");
    }

    /** Checklist 18; this JVM runs one test at a time. */
    @Test
    void peerToPeerIsForbiddenByAProperty() {
        final String name = "FI_HMEM_DISABLE_P2P";
        final Hints hints = hints(EMULATED).capabilities(Capability.HMEM).mrMode(MrMode.HMEM);
        assertThat(Fabrics.getInfo(hints).get(0).mrMode()).containsExactly(MrMode.HMEM);
        assertFails(FiErrno.FI_ENODATA, hints.mrModeBits(0), "needs FI_MR_HMEM");
        final String before = System.setProperty(name, "1");
        try {
            assertFails(FiErrno.FI_ENODATA, hints.mrMode(MrMode.HMEM), "cannot give FI_HMEM", name);
        } finally {
            if (before == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, before);
            }
        }
    }

    @Test
    void anOpenDeviceIsUsedAndLeftOpen() {
        try (RdmaContext context = RdmaDevices.open(EMULATED)) {
            final FabricInfo info = Fabrics.getInfo(new Hints().context(context)).get(0);
            assertThat(info.context()).isSameAs(context);
            assertThat(info.address()).isEqualTo(context.address());
            assertThat(context.isClosed()).isFalse();
            assertFails(FiErrno.FI_EINVAL, new Hints().context(context).address("emulated:"), "both");
        }
    }

    @Test
    void aClosedDeviceIsRefused() {
        final RdmaContext context = RdmaDevices.open(EMULATED);
        context.close();
        assertFails(FiErrno.FI_EINVAL, new Hints().context(context), "closed");
    }

    @Test
    void nothingIsNoQuestion() {
        assertFails(FiErrno.FI_EINVAL, null, "hints is null");
        assertThatThrownBy(() -> Fabrics.survey(null)).isInstanceOf(FabricException.class);
        final FabricInfo info = Fabrics.getInfo(hints(EMULATED)).get(0);
        assertThatThrownBy(() -> info.why(null)).isInstanceOf(FabricException.class);
        assertThatThrownBy(() -> info.needs(null)).isInstanceOf(FabricException.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 0", "65535, 65535"})
    void versionsOfTheFutureAreNotKnown(final int major, final int minor) {
        assertFails(FiErrno.FI_ENOSYS, hints(EMULATED).apiVersion(major, minor), major + "." + minor, "2.0");
    }

    @Test
    void onlyWhatWasFoundCanBeOpened() {
        assertThatThrownBy(() -> Fabrics.open(null)).isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EINVAL));
        final FabricInfo foreign = (FabricInfo) Proxy.newProxyInstance(
            FabricInfo.class.getClassLoader(), new Class<?>[] {FabricInfo.class}, (proxy, method, args) -> null);
        assertThatThrownBy(() -> Fabrics.open(foreign)).isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EINVAL));
    }

    @Test
    void whatWasFoundCanBeOpened() {
        final FabricInfo info = Fabrics.getInfo(hints(EMULATED)).get(0);
        try (Fabric fabric = Fabrics.open(info)) {
            assertThat(fabric.info()).isSameAs(info);
        }
    }

    @Test
    void infosArePrintedAsFiInfoDoes() {
        final FabricInfo info = Fabrics.getInfo(hints(EMULATED).mrMode(MrMode.RAW).demand(MrMode.RAW)
            .authKey(new byte[5])).get(0);
        assertThat(info.toString().lines()).containsExactly(
            "provider: rdma4j", "    fabric: " + info.fabricName(), "    domain: " + EMULATED, "    version: 2.0",
            "    type: FI_EP_MSG", "    protocol: FI_PROTO_RDMA4J_RC");
        assertThat(info.describe()).startsWith("fi_info:\n    caps: [ FI_MSG, FI_RMA, FI_ATOMIC, ")
            .contains("        mr_mode: [ FI_MR_RAW ]\n", "        threading: FI_THREAD_COMPLETION\n",
                "        auth_key_size: 5\n", "        api_version: 2.0\n",
                "        FI_MR_RAW: demanded by the application, not needed by the device\n",
                "        FI_MR_LOCAL: not needed: ").endsWith("\n");
    }
}
