/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.host.Machine;
import io.rdma4j.tools.text.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.Set;

/** The application: takes a command line apart and runs the command. */
@Command(
    name = "rdma4j",
    description = "Looks at RDMA devices and tries them out, without the kernel and without native code.",
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Version.class,
    scope = ScopeType.INHERIT,
    sortOptions = false,
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    commandListHeading = "%nCommands:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:success",
        "1:failure: standard error says what failed and what to do about it; also a file or folder that is not there "
            + "or cannot be read or written, and a comparison that found something",
        "2:wrong usage: the command line itself is wrong",
        "130:ended by Ctrl-C; stat and serve, which end so, have 0"
    },
    footerHeading = "%nExamples:%n",
    footer = {
        "  rdma4j devices                  which devices there are",
        "  rdma4j devinfo -v               all about the emulated device",
        "  rdma4j pingpong -s 4k           a ping-pong of 4096 bytes",
        "  rdma4j status                   what this machine lacks for real devices",
        "  rdma4j pingpong --help          what a command can do"
    })
public final class Main implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(DevicesCommand.class, DevinfoCommand.class,
        FiInfoCommand.class, PingpongCommand.class, FiPingpongCommand.class, PerfCommand.class, PlotCommand.class,
        StatCommand.class, DumpAllCommand.class, ShowCommand.class, RegsCommand.class, ConfigCommand.class,
        DsrCommand.class, CapsCommand.class, CmdCommand.class, QpCommand.class, CqCommand.class, SrqCommand.class,
        MrCommand.class, GidCommand.class, AvCommand.class, CacheCommand.class, CountersCommand.class,
        ErrorsCommand.class, StatusCommand.class, BindCommand.class, UnbindCommand.class, CompletionCommand.class,
        InstallCommand.class, ReplayCommand.class, ServeCommand.class, HelpCommand.class);
    /** Those that tell of all others. */
    private static final Set<Class<?>> TELLERS = Set.of(HelpCommand.class, CompletionCommand.class);

    private final Terminal terminal;
    private final Machine machine;

    @Spec
    private CommandSpec spec;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Print the stack trace of a failure.")
    private boolean debug;

    @Mixin
    private TraceOptions trace;

    // Picocli's own ones would stand before the trace's in the help of a command. Only Picocli looks at these.
    @SuppressWarnings("unused")
    @Option(names = {"-h", "--help"}, usageHelp = true, scope = ScopeType.INHERIT,
        description = "Show this help message and exit.")
    private boolean help;

    @SuppressWarnings("unused")
    @Option(names = {"-V", "--version"}, versionHelp = true, scope = ScopeType.INHERIT,
        description = "Print version information and exit.")
    private boolean version;

    private Main(final Terminal terminal, final Machine machine) {
        this.terminal = terminal;
        this.machine = machine;
    }

    /**
     * Starts from the shell. The process ends with the exit code of the command. Numbers are written with the digits
     * that scripts read, whatever the user's language has.
     *
     * @param args the command line.
     */
    @SuppressWarnings("checkstyle:regexpsinglelinejava") // Here, and only here, the process is ours to end.
    public static void main(final String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(run(Terminal.system(), args));
    }

    /**
     * Runs one command line.
     *
     * @param terminal where to print.
     * @param args     the command line.
     * @return the exit code: 0 for success, 1 for failure, 2 for wrong usage.
     */
    public static int run(final Terminal terminal, final String... args) {
        return run(terminal, Machine.here(), args);
    }

    /**
     * All commands, to be described.
     *
     * @return a new tree of them, which is not to be run.
     */
    static CommandLine commandLine() {
        return new Main(Terminal.system(), Machine.here()).with(COMMANDS)
            .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
    }

    private CommandLine with(final List<Class<?>> commands) {
        final CommandLine line = new CommandLine(this);
        commands.forEach(line::addSubcommand);
        return line;
    }

    /** A line that begins with a command needs no other: taking all apart is most of what a short one costs. */
    private static List<Class<?>> needed(final String... args) {
        return COMMANDS.stream()
            .filter(command -> args.length > 0 && command.getAnnotation(Command.class).name().equals(args[0]))
            .filter(command -> !TELLERS.contains(command))
            .findFirst().<List<Class<?>>>map(List::of).orElse(COMMANDS);
    }

    static int run(final Terminal terminal, final Machine machine, final String... args) {
        final int code = execute(terminal, machine, args);
        final String lost = terminal.whyLost();
        if (lost == null) {
            return code;
        }
        terminal.err().println("rdma4j: standard output lacks what was to be written: " + lost);
        terminal.err().flush();
        return code == ExitCode.OK ? ExitCode.SOFTWARE : code;
    }

    private static int execute(final Terminal terminal, final Machine machine, final String... args) {
        final Main main = new Main(terminal, machine);
        final Failures failures = new Failures(main);
        try {
            return main.with(needed(args))
                .setOut(terminal.out())
                .setErr(terminal.err())
                .setColorScheme(CommandLine.Help.defaultColorScheme(terminal.outHasColours() ? Ansi.ON : Ansi.OFF))
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler(failures)
                .setExecutionExceptionHandler(failures)
                .setExecutionStrategy(main::execute)
                .execute(args);
        } catch (final LinkageError | VirtualMachineError | ServiceConfigurationError e) {
            return failures.handleError(e);
        } finally {
            terminal.out().flush();
            terminal.err().flush();
        }
    }

    /** A trace that could not be made is found before anything is done; it begins with the first device. */
    private int execute(final ParseResult parsed) {
        if (onlyExplains(parsed)) {
            return new CommandLine.RunLast().execute(parsed);
        }
        beginTrace(innermost(parsed).commandSpec().commandLine());
        final int code;
        final String untraced;
        try {
            code = new CommandLine.RunLast().execute(parsed);
        } finally {
            untraced = trace.end();
        }
        if (untraced != null) {
            terminal.err().println("rdma4j: " + untraced);
        }
        return code;
    }

    private void beginTrace(final CommandLine command) {
        final String objection;
        try {
            objection = trace.begin();
        } catch (final RdmaException e) {
            throw new ExecutionException(command, e.getMessage(), e);
        }
        if (objection != null) {
            throw new ParameterException(command, objection);
        }
    }

    private static ParseResult innermost(final ParseResult parsed) {
        return parsed.hasSubcommand() ? innermost(parsed.subcommand()) : parsed;
    }

    /** Help and version open nothing, and a file of that name keeps what is in it. */
    private static boolean onlyExplains(final ParseResult parsed) {
        return parsed.isUsageHelpRequested() || parsed.isVersionHelpRequested() || parsed.commandSpec().helpCommand()
            || parsed.hasSubcommand() && onlyExplains(parsed.subcommand());
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    Terminal terminal() {
        return terminal;
    }

    Machine machine() {
        return machine;
    }

    boolean debug() {
        return debug;
    }
}
