/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.verbs.RdmaDevices;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** {@code rdma4j completion}: prints a script with which shells complete commands and options. */
@Command(
    name = "completion",
    description = "Prints a script for bash and zsh, with which the tab key completes commands, options, "
        + "their values and addresses of devices.",
    footer = {
        "  source <(rdma4j completion)                    for this shell",
        "  rdma4j completion >~/.local/share/bash-completion/completions/rdma4j",
        "                                                 for all to come"
    })
final class CompletionCommand implements Runnable {
    /**
     * Addresses are made by the shell alone, as a JVM would be too slow for a key. Colons, which end words of bash's,
     * are in them: the line is looked at instead, and what stands before the last colon stays out of the answers.
     */
    private static final String DEVICES = """

        # Addresses of devices: the emulated one, and the pvrdma functions that vfio-pci has.
        function _rdma4j_devices() {
          local name vendor device
          echo '%s'
          for name in $(ls /sys/bus/pci/drivers/vfio-pci 2>/dev/null); do
            case $name in *:*:*.*) ;; *) continue ;; esac
            vendor= device=
            read -r vendor 2>/dev/null </sys/bus/pci/drivers/vfio-pci/$name/vendor
            read -r device 2>/dev/null </sys/bus/pci/drivers/vfio-pci/$name/device
            [ "$vendor:$device" != 0x15ad:0x0820 ] || echo "vfio:$name"
          done
        }

        function _rdma4j() {
          local line=${COMP_LINE:0:${COMP_POINT:-0}} word before
          word=${line##* }
          before=${line%%"$word"}
          before=${before%%"${before##*[! ]}"}
          before=${before##* }
          if [ -n "$BASH_VERSION" ]; then
            case $word in %s) before=${word%%%%=*} word=${word#*=} ;; esac
          fi
          case $before in
            %s)
              type compopt &>/dev/null && compopt +o default
              COMPREPLY=( $(compgen -W "$(_rdma4j_devices)" -- "$word") )
              case $COMP_WORDBREAKS in
                *:*) COMPREPLY=( "${COMPREPLY[@]#"${word%%"${word##*:}"}"}" ) ;;
              esac
              ;;
            *) _complete_rdma4j "$@" ;;
          esac
        }
        complete -F _rdma4j -o default rdma4j
        """;

    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        main.terminal().out().print(script(spec.root().commandLine()));
    }

    /**
     * The script.
     *
     * @param rdma4j all commands.
     * @return what a shell sources.
     */
    static String script(final CommandLine rdma4j) {
        final Set<String> names = new TreeSet<>();
        addDeviceOptions(rdma4j, names);
        return AutoComplete.bash(rdma4j.getCommandName(), rdma4j) + String.format(Locale.ROOT, DEVICES,
            RdmaDevices.DEFAULT_ADDRESS, names.stream().filter(name -> name.startsWith("--")).map(name -> name + "=*")
                .collect(Collectors.joining("|")), String.join("|", names));
    }

    private static void addDeviceOptions(final CommandLine command, final Set<String> names) {
        final OptionSpec device = command.getCommandSpec().findOption("--device");
        if (device != null) {
            names.addAll(List.of(device.names()));
        }
        command.getSubcommands().values().forEach(subcommand -> addDeviceOptions(subcommand, names));
    }
}
