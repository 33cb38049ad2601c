package dev.tenure.cli.process;

/** How a child ended, once its whole tree is dead. */
public sealed interface Exit {

    /**
     * The command's code, 128 + n for a signal, 126 or 127 for a command that cannot be run or found, 75 if too late.
     */
    int code();

    Ending ending();

    record Exited(int code, Ending ending) implements Exit {}

    record Signaled(int signal, Ending ending) implements Exit {
        @Override
        public int code() {
            return 128 + signal;
        }
    }

    /** Not one instruction of the command was executed. */
    record NotStarted(int code, String message, Ending ending) implements Exit {}
}
