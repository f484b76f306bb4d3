/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.Survey;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** {@code rdma4j fi_info}: what devices offer to programs of the fabric interfaces, and what they ask of them. */
@Command(
    name = "fi_info",
    description = "Prints what devices offer to programs written for io.rdma4j.fabric, and which mode bits they need, "
        + "as libfabric's fi_info does. Names may be written without FI_, FI_MR_ or FI_EP_.",
    footer = {
        "  rdma4j fi_info                             all devices, in short",
        "  rdma4j fi_info -v -d emulated:             one, and why it needs which bits",
        "  rdma4j fi_info -c 'FI_MSG|FI_RMA' -m none  who has RMA and needs no mode bit",
        "  rdma4j fi_info -m LOCAL,RAW --demand RAW   what a test of raw keys sees",
        "  rdma4j fi_info --json | python3 -m json.tool"
    })
final class FiInfoCommand implements Runnable {
    private static final String ALL = "all";

    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-d", "--device", "--domain"}, paramLabel = "ADDRESS",
        description = "Only this device, as 'rdma4j devices' lists it. Default: all")
    private String address;

    @Option(names = {"-c", "--caps"}, paramLabel = "CAP1|CAP2..", description = "Capabilities that are needed. "
        + "Default: whatever costs nothing, which FI_RMA_EVENT and FI_HMEM do")
    private String capabilities;

    @Option(names = {"-m", "--mode"}, paramLabel = "MOD1|MOD2..", defaultValue = ALL,
        description = "mr_mode bits that the program can cope with: names, 'all' (without FI_MR_BASIC and "
            + "FI_MR_SCALABLE) or 'none'; FI_LOCAL_MR too. Default: ${DEFAULT-VALUE}")
    private String modes;

    @Option(names = "--demand", paramLabel = "MOD1|MOD2..",
        description = "mr_mode bits that shall stay set although no device needs them.")
    private String demanded;

    @Option(names = {"-t", "--ep_type"}, paramLabel = "EPTYPE", converter = FiNames.EndpointTypes.class,
        description = "Kind of endpoints: FI_EP_MSG, FI_EP_DGRAM, FI_EP_RDM. Default: all")
    private EndpointType type;

    @Option(names = {"-a", "--addr_format"}, paramLabel = "FMT", converter = FiNames.AddressFormats.class,
        description = "Format of addresses: FI_FORMAT_UNSPEC (the provider's own), FI_SOCKADDR_IN, FI_SOCKADDR_IN6, "
            + "FI_ADDR_STR. Default: the provider's own")
    private AddressFormat format;

    @Option(names = {"-p", "--provider"}, paramLabel = "PROV", description = "Only this provider. Default: any")
    private String provider;

    @Option(names = {"-f", "--fabric"}, paramLabel = "FABRIC", description = "Only this fabric. Default: any")
    private String fabric;

    @Option(names = "--api-version", paramLabel = "X.Y", defaultValue = "2.0", converter = FiNames.Versions.class,
        description = "The version that the program was written for. Default: ${DEFAULT-VALUE}")
    private FiNames.Version version;

    @Option(names = {"-v", "--verbose"}, description = "Print everything, and why other devices do not fit.")
    private boolean verbose;

    @Option(names = "--json", description = "Print JSON, always in full.")
    private boolean json;

    @Override
    public void run() {
        final Survey survey = survey();
        final Terminal terminal = main.terminal();
        if (json) {
            Json.print(terminal.out(), FabricReport.toJson(survey));
        } else if (verbose) {
            printInFull(survey, terminal.out());
        } else {
            survey.found().forEach(info -> terminal.out().print(info));
        }
        if (survey.found().isEmpty()) {
            throw nothingFits(survey);
        }
    }

    /** Without a kind of endpoints programs get connected ones; here all are shown. */
    private Survey survey() {
        if (type != null) {
            return Fabrics.survey(hints(type));
        }
        final List<FabricInfo> found = new ArrayList<>();
        final Set<String> leftOut = new LinkedHashSet<>();
        boolean unfit = false;
        for (final EndpointType each : List.of(EndpointType.MSG, EndpointType.RDM, EndpointType.DGRAM)) {
            final Survey one = Fabrics.survey(hints(each));
            found.addAll(one.found());
            leftOut.addAll(one.leftOut());
            unfit |= one.unfit();
        }
        return new Survey(found, List.copyOf(leftOut), unfit);
    }

    private Hints hints(final EndpointType kind) {
        final Hints hints = new Hints().apiVersion(version.major(), version.minor()).address(address)
            .provider(provider).fabricName(fabric).endpointType(kind).addressFormat(format);
        try {
            final FiNames.Modes offered = FiNames.modes(modes);
            hints.mrMode(offered.bits()).localMr(offered.localMr());
            hints.capabilities(FiNames.capabilities(capabilities));
            hints.demand(FiNames.modes(demanded == null ? "none" : demanded).bits());
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        return hints;
    }

    private static void printInFull(final Survey survey, final PrintWriter out) {
        for (final FabricInfo info : survey.found()) {
            out.println("---");
            out.print(info.describe());
        }
        if (!survey.leftOut().isEmpty()) {
            out.println("---");
            out.println("left out:");
            survey.leftOut().forEach(sentence -> out.println("    " + sentence));
        }
    }

    private FabricException nothingFits(final Survey survey) {
        return FabricException.of("find fabrics")
            .detail("%s", survey.leftOut().isEmpty() ? "there are no devices" : String.join("; ", survey.leftOut()))
            .errno(FiErrno.FI_ENODATA)
            .hint(!survey.unfit() ? null : ALL.equals(modes) ? "ask for less (-c)"
                : "offer more mode bits (-m), or ask for less (-c)").build();
    }
}
