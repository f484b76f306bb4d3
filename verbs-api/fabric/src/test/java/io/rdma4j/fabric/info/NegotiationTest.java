/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mode bits (checklist 22-33): each combination of bits offered, against what the specification says. */
@Timeout(120)
class NegotiationTest {
    private static final int FIRST_BIT = 2;
    private static final int BITS = 10;
    private static final Set<Capability> ANY = EnumSet.noneOf(Capability.class);
    private static final Set<Capability> MESSAGES = EnumSet.of(Capability.MSG);
    private static final Pattern NAME = Pattern.compile("\\bFI_MR_\\w+");
    private static final Map<String, MrMode> NAMES = EnumSet.allOf(MrMode.class).stream()
        .collect(Collectors.toMap(mode -> "FI_MR_" + mode, mode -> mode));
    private static final Set<Capability> DEVICE_MEMORY = EnumSet.of(Capability.MSG, Capability.HMEM);

    @Test
    @Tag("thorough")
    void eachOfferToEachDeviceIsAnsweredAsTheSpecificationSays() {
        int agreed = 0;
        int refused = 0;
        for (final DeviceTraits device : Profiles.all()) {
            for (final Set<Capability> asked : List.of(ANY, MESSAGES)) {
                for (int offered = 0; offered < 1 << BITS; offered++) {
                    for (final int demanded : demands(offered << FIRST_BIT, 1)) {
                        if (check(device, asked, offered << FIRST_BIT, demanded)) {
                            agreed++;
                        } else {
                            refused++;
                        }
                    }
                }
            }
        }
        assertThat(agreed).isGreaterThan(100_000);
        assertThat(refused).isGreaterThan(100_000);
    }

    @Test
    @Tag("thorough")
    void pairsOfDemandsToTheDevicesThatThereAre() {
        for (final DeviceTraits device : Profiles.NAMED) {
            for (final Set<Capability> asked : List.of(ANY, DEVICE_MEMORY)) {
                for (int offered = 0; offered < 1 << BITS; offered++) {
                    for (final int demanded : demands(offered << FIRST_BIT, 2)) {
                        check(device, asked, offered << FIRST_BIT, demanded);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 5", "1, 8", "1, 9", "1, 21", "1, 22", "2, 0"})
    void versionsFromThenOnDifferInBasicOnly(final int major, final int minor) throws Unfit {
        for (final DeviceTraits device : Profiles.NAMED) {
            for (int offered = 0; offered < 1 << BITS; offered++) {
                final Hints hints = new Hints().apiVersion(major, minor).mrModeBits((long) offered << FIRST_BIT);
                final int expected = new SpecOracle(device, device.has(Trait.RMA), false)
                    .answer(offered << FIRST_BIT, 0);
                final FabricInfo info = find(device, hints);
                assertThat(info == null ? SpecOracle.NO_DATA : (int) MrMode.bits(info.mrMode()))
                    .as("%s offered 0x%x", device.address(), offered << FIRST_BIT).isEqualTo(expected);
            }
        }
    }

    /** All pairs too that an application should not offer together. */
    private static List<Integer> demands(final int offered, final int most) {
        final List<Integer> demands = new ArrayList<>(List.of(0));
        for (int a = FIRST_BIT; a < FIRST_BIT + BITS; a++) {
            demands.add(1 << a);
            for (int b = a + 1; most > 1 && b < FIRST_BIT + BITS; b++) {
                demands.add(1 << a | 1 << b);
            }
        }
        // One that was not offered is enough: it is refused always.
        final List<Integer> sensible = new ArrayList<>(demands.stream().filter(d -> (d & ~offered) == 0).toList());
        demands.stream().filter(d -> (d & ~offered) != 0).findFirst().ifPresent(sensible::add);
        return sensible;
    }

    /** Returns whether it was agreed. */
    private static boolean check(
        final DeviceTraits device, final Set<Capability> asked, final int offered, final int demanded) {
        final boolean remote = device.has(Trait.RMA) && asked.isEmpty();
        final int expected = new SpecOracle(device, remote, asked.contains(Capability.HMEM)).answer(offered, demanded);
        final Hints hints = new Hints().capabilities(asked).mrModeBits(offered).demand(MrMode.of(demanded));
        try {
            final FabricInfo info = Discovery.negotiate(device, hints, true);
            if (expected != MrMode.bits(info.mrMode())) {
                throw wrong(device, hints, expected, info.mrMode().toString());
            }
            return true;
        } catch (final Unfit e) {
            if (expected != SpecOracle.NO_DATA || !namesABitThatIsMissing(e.getMessage(), offered)) {
                throw wrong(device, hints, expected, e.getMessage());
            }
            return false;
        }
    }

    private static boolean namesABitThatIsMissing(final String message, final int offered) {
        final Matcher name = NAME.matcher(message);
        while (name.find()) {
            final MrMode mode = NAMES.get(name.group());
            if (mode != null && (mode.bit() & offered) == 0) {
                return true;
            }
        }
        return false;
    }

    private static AssertionError wrong(
        final DeviceTraits device, final Hints hints, final int expected, final String answer) {
        return new AssertionError(String.format("device without %s, asked for %s, offered %s, demanded %s: %s, not %s",
            device.lacking().keySet(), hints.capabilities(), hints.mrMode(), hints.demanded(), answer,
            expected == SpecOracle.NO_DATA ? "FI_ENODATA" : MrMode.of(expected)));
    }

    private static FabricInfo find(final DeviceTraits device, final Hints hints) {
        try {
            return Discovery.negotiate(device, hints, true);
        } catch (final Unfit e) {
            return null;
        }
    }

    /** Checklist 22: no bits are the easiest way, and only a device that can do all of it takes them. */
    @Test
    void noBitsAreForDevicesThatCanDoAll() throws Unfit {
        final FabricInfo info = Discovery.negotiate(Profiles.EMULATED, new Hints(), true);
        assertThat(info.mrMode()).isEmpty();
        assertThat(MrModes.effective(info)).isEmpty();
        assertThat(find(Profiles.PLAIN, new Hints())).isNull();
        assertThat(find(Profiles.QEMU, new Hints())).isNull();
    }

    @Test
    void everyBitIsClearedThatADeviceDoesNotNeed() throws Unfit {
        final Hints all = new Hints().mrMode(EnumSet.range(MrMode.LOCAL, MrMode.COLLECTIVE));
        assertThat(Discovery.negotiate(Profiles.EMULATED, all, true).mrMode()).isEmpty();
        assertThat(Discovery.negotiate(Profiles.PLAIN, all, true).mrMode())
            .containsExactlyInAnyOrder(MrMode.VIRT_ADDR, MrMode.ALLOCATED, MrMode.PROV_KEY);
        assertThat(Discovery.negotiate(Profiles.QEMU, all, true).mrMode()).containsExactly(MrMode.ALLOCATED);
        assertThat(Discovery.negotiate(Profiles.KEYS_REUSED, all, true).mrMode()).containsExactly(MrMode.PROV_KEY);
    }

    /** Checklist 28: in place of ALLOCATED. */
    @Test
    void mmuNotifyStandsInForAllocated() throws Unfit {
        assertThat(modes(Profiles.REFRESHING, MrMode.MMU_NOTIFY)).containsExactly(MrMode.MMU_NOTIFY);
        assertThat(modes(Profiles.REFRESHING, MrMode.ALLOCATED, MrMode.MMU_NOTIFY)).containsExactly(MrMode.ALLOCATED);
        assertThat(modes(Profiles.EMULATED, MrMode.ALLOCATED, MrMode.MMU_NOTIFY)).isEmpty();
        // It would have to register anew, under another key than the one that peers were given.
        assertThat(find(Profiles.PLAIN, new Hints()
            .mrMode(MrMode.MMU_NOTIFY, MrMode.VIRT_ADDR, MrMode.PROV_KEY))).isNull();
    }

    private static Set<MrMode> modes(final DeviceTraits device, final MrMode first, final MrMode... more) throws Unfit {
        return Discovery.negotiate(device, new Hints().mrMode(first, more), true).mrMode();
    }

    /** Checklist 33. */
    @ParameterizedTest
    @CsvSource({
        "1, 4, 1, 1", "1, 4, 2, 2", "1, 4, 0, 2", "1, 4, 5, -1", "1, 4, 4, -1", "1, 4, 3, -1", "1, 4, 112, -1",
        "1, 0, 1, 1", "1, 5, 1, 1", "1, 5, 2, 2", "1, 5, 5, 1", "1, 8, 5, 1", "1, 9, 5, -1", "2, 0, 5, -1",
        "1, 5, 17, -1", "1, 6, 3, -1", "1, 6, 6, -1", "2, 0, 1, 1", "2, 0, 2, 2", "2, 0, 3, -1", "2, 0, 113, -1"})
    void theOldBitsGoAloneAndStay(final int major, final int minor, final int offered, final int expected) {
        final FabricInfo info = find(
            Profiles.EMULATED, new Hints().apiVersion(major, minor).mrModeBits(offered));
        assertThat(info == null ? SpecOracle.NO_DATA : (int) MrMode.bits(info.mrMode())).isEqualTo(expected);
        if (expected == SpecOracle.BASIC) {
            assertThat(MrModes.effective(info))
                .containsExactlyInAnyOrder(MrMode.VIRT_ADDR, MrMode.ALLOCATED, MrMode.PROV_KEY);
        } else if (expected == SpecOracle.SCALABLE) {
            assertThat(MrModes.effective(info)).isEmpty();
        }
    }

    @Test
    void basicIsForEachDeviceAndScalableIsNot() {
        for (final DeviceTraits device : Profiles.all()) {
            assertThat(find(device, new Hints().mrMode(MrMode.BASIC)).mrMode()).containsExactly(MrMode.BASIC);
            final boolean canDoAll = new SpecOracle(device, device.has(Trait.RMA), false).works(0);
            assertThat(find(device, new Hints().mrMode(MrMode.SCALABLE)) != null).isEqualTo(canDoAll);
            assertThat(find(device, new Hints().apiVersion(1, 4)).mrMode())
                .containsExactly(canDoAll ? MrMode.SCALABLE : MrMode.BASIC);
        }
    }

    @Test
    void basicIsRefusedToWhoHasMemoryOfDevices() {
        assertThat(find(Profiles.EMULATED, new Hints().mrMode(MrMode.BASIC).capabilities(Capability.HMEM))).isNull();
    }

    /** The old bit FI_LOCAL_MR counts with the old bits, and not beside FI_MR_LOCAL. */
    @Test
    void theOldLocalBit() throws Unfit {
        final Hints old = new Hints().apiVersion(1, 4).mrMode(MrMode.BASIC).localMr(true);
        assertThat(find(Profiles.EMULATED, old).localMr()).isFalse();
        final FabricInfo demanded = Discovery.negotiate(Profiles.EMULATED, old.demand(MrMode.LOCAL), true);
        assertThat(demanded.localMr()).isTrue();
        assertThat(demanded.mrMode()).containsExactly(MrMode.BASIC);
        assertThat(demanded.needs(MrMode.LOCAL)).isTrue();
        final Hints both = new Hints().apiVersion(1, 6).mrMode(MrMode.BASIC, MrMode.LOCAL).localMr(true)
            .demand(MrMode.LOCAL);
        final FabricInfo ignored = Discovery.negotiate(Profiles.EMULATED, both, true);
        assertThat(ignored.localMr()).isFalse();
        assertThat(ignored.mrMode()).containsExactlyInAnyOrder(MrMode.BASIC, MrMode.LOCAL);
        assertThat(find(Profiles.EMULATED, new Hints().localMr(true).demand(MrMode.LOCAL))).isNull();
        assertThat(find(Profiles.EMULATED, new Hints().apiVersion(1, 4).mrMode(MrMode.BASIC).demand(MrMode.LOCAL)))
            .isNull();
    }

    @Test
    void eachBitHasItsReason() throws Unfit {
        for (final DeviceTraits device : Profiles.NAMED) {
            final FabricInfo info = Discovery.negotiate(device, new Hints().mrMode(
                EnumSet.range(MrMode.LOCAL, MrMode.COLLECTIVE)).demand(MrMode.RAW), true);
            for (final MrMode mode : EnumSet.range(MrMode.LOCAL, MrMode.COLLECTIVE)) {
                assertThat(info.why(mode)).as("%s on %s", mode, device.address())
                    .startsWith(mode == MrMode.RAW ? "demanded" : info.needs(mode) ? "needed: " : "not needed: ")
                    .hasSizeGreaterThan(20);
            }
            assertThat(info.why(MrMode.BASIC)).isEqualTo("not asked for");
        }
    }

    @Test
    void theReasonOfANeedIsTheDevices() throws Unfit {
        final FabricInfo info = Discovery.negotiate(Profiles.PLAIN, new Hints().mrMode(
            MrMode.VIRT_ADDR, MrMode.ALLOCATED, MrMode.PROV_KEY), true);
        assertThat(info.why(MrMode.VIRT_ADDR)).contains("it has no ZERO_BASED");
        assertThat(info.why(MrMode.ALLOCATED)).contains("it has no PAGE_FAULTS");
        assertThat(info.why(MrMode.PROV_KEY)).contains("it has no KEYS_NOT_REUSED");
    }

    /** Before 1.5 there were no authorization keys (checklist 11). */
    @Test
    void authorizationKeysCountFromThenOn() throws Unfit {
        final byte[] key = {1, 2, 3};
        assertThat(Discovery.negotiate(Profiles.EMULATED, new Hints().authKey(key), true).authKey()).isEqualTo(key);
        assertThat(Discovery.negotiate(Profiles.EMULATED, new Hints().apiVersion(1, 4).authKey(key), true).authKey())
            .isEmpty();
        assertThat(Discovery.negotiate(Profiles.EMULATED, new Hints().apiVersion(1, 5).authKey(key), true).authKey())
            .isEqualTo(key);
    }
}
