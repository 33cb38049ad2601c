# The guardian of `tenure run`: a second process that outlives its supervisor by as long as the child's tree needs.
#
# It exists because the supervisor may be stopped, killed or cut off at any instant, and its child must be dead by the
# end of the term all the same. So the guardian, not the JVM, is the parent of the child. It knows the end of the term
# as an absolute value on the boot clock and acts on it without asking anybody. Debian's perl-base is all it needs.
#
# Orders from the supervisor, one a line, WORD, NAME and VALUE in hexadecimal (EOF: the supervisor is gone):
#   arg WORD | env NAME VALUE | grace SECONDS      what to run, before `start`
#   start TERM_AT KILL_AT                          run it now, unless TERM_AT has passed
#   deadline TERM_AT KILL_AT                       the term was renewed (later) or cut (earlier)
#   signal NUMBER                                  pass a signal on
#   stop KILL_AT                                   SIGTERM now, SIGKILL then or at the deadline, whichever is first
# Reports:
#   ready CLOCK | started PID | late | failed ERRNO TEXT
#   ending deadline|order|closed|exit | exited CODE | signaled NUMBER
#   killing                                        SIGKILL went out; a supervisor that misses this report kills the guardian
#   stuck PID...                                   SIGKILL does not end these (another user's, or in the kernel)
#   gone                                           every process of the tree is dead; the guardian exits
#
# Why `gone` can be trusted: the guardian is a child subreaper, so every orphan of the tree becomes its child, however
# it was daemonised. Any living descendant hangs below some child of the guardian, hence waitpid() says ECHILD only if
# none is left.
use strict;
use warnings;
no warnings 'exec';    # a command that cannot be run is a report, not a warning on the user's terminal
use Config;
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM pack_sockaddr_un);

use constant { PR_SET_PDEATHSIG => 1, PR_SET_CHILD_SUBREAPER => 36 };
use constant { SIGINT => 2, SIGQUIT => 3, SIGKILL => 9, SIGTERM => 15 };
# The longest wait while a child lives: select() does not count the time a machine is suspended, the boot clock does.
use constant TICK => 0.1;
use constant STUCK_AFTER => 1;    # seconds of SIGKILL without effect until the supervisor is told

# perl has no prctl; its number depends on the ABI that perl (not the kernel) was built for.
my %prctl_numbers = (x86_64 => 157, aarch64 => 167, riscv64 => 167, powerpc64le => 171, s390x => 172);
my ($abi) = $Config{archname} =~ /^([^-]+)/;
my $prctl_number = $^O eq 'linux' ? $prctl_numbers{$abi} : undef;
my $uptime_file;
my $boot_clock = open($uptime_file, '<', '/proc/uptime');

my (@argv, %extra_env, $grace, $term_at, $kill_at);
my ($child, $exec_report, $wait_status);    # pid; pipe that closes on exec; set once the child was reaped
my ($launched, $ending, $empty, $killing_since, $told_killing, $told_stuck) = (0, 0, 0, undef, 0, 0);
my $kill_pause = 0.02;

# Signals that were ignored when the user started us (nohup) stay so in the child; the rest go back to their defaults.
my @signals = qw(HUP INT QUIT TERM PIPE TSTP TTIN TTOU USR1 USR2 ALRM);
my %ignored_before = map { $_ => (($SIG{$_} // '') eq 'IGNORE') } @signals;
$SIG{$_} = 'IGNORE' for @signals;
pipe(my $death_seen, my $death_notice) or die "tenure guardian: pipe: $!\n";
make_nonblocking($_) for $death_seen, $death_notice;
$SIG{CHLD} = sub { local $!; syswrite($death_notice, '.') };    # wakes select(), also if the death came just before it
allow_all_signals();    # the JVM's threads block some, and masks are inherited
POSIX::setsid();    # a signal or a stop for the supervisor's process group must not reach its guardian
my $subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1);
$0 = 'tenure-guardian';

socket(my $control, AF_UNIX, SOCK_STREAM, 0) or die "tenure guardian: socket: $!\n";
my ($socket) = @ARGV;
my $supervised = connect($control, pack_sockaddr_un($socket));
unlink $socket;    # the supervisor does this too, if it still lives
rmdir $socket =~ s{/[^/]*$}{}r;
exit 1 if !$supervised;
make_nonblocking($control);
my ($connected, $unread) = (1, '');
report('ready ' . ($boot_clock ? 'boot' : 'wall'));

while (1) {
    wait_for_something();
    # Orders before the clock: a renewal that already lies in the socket saves the child from an old deadline.
    obey() if $connected;
    exit 0 if !$launched && !$connected;
    next if !$launched;
    settle_exec() if $exec_report;
    reap();
    if ($empty) { report('gone'); exit 0 }
    my $now = now();
    end_tree('deadline', $kill_at) if !$ending && $now >= $term_at;
    kill_tree($now) if $ending && $now >= $kill_at;
}

# Seconds on the clock that the supervisor also reads. /proc/uptime is cut to 10 ms; rounding up acts early, not late.
sub now {
    if (!$boot_clock) {    # not Linux: the wall clock is what both sides can read; good enough for development
        return eval { require Time::HiRes; Time::HiRes::time() } // time() + 1;
    }
    my $text;
    return 9e15 unless sysseek($uptime_file, 0, 0) && sysread($uptime_file, $text, 64);    # no clock: all time is over
    my ($seconds) = $text =~ /^([0-9.]+)/;
    return $seconds + 0.01;
}

sub wait_for_something {
    my $timeout;    # without a child only the supervisor can wake us
    if ($launched) {
        my $now = now();
        my $due = $ending ? $kill_at : $term_at;
        $timeout = defined $killing_since ? $kill_pause : $due - $now;
        $timeout = TICK if $timeout > TICK && !defined $killing_since;
        $timeout = 0.001 if $timeout < 0.001;
    }
    my $watched = '';
    vec($watched, fileno($death_seen), 1) = 1;
    vec($watched, fileno($control), 1) = 1 if $connected;
    vec($watched, fileno($exec_report), 1) = 1 if $exec_report;
    select($watched, undef, undef, $timeout);
    sysread($death_seen, my $notices, 4096);
}

sub obey {
    my $count = sysread($control, $unread, 65536, length $unread);
    return if !defined $count && ($! == POSIX::EAGAIN() || $! == POSIX::EINTR());
    while ($unread =~ s/^([^\n]*)\n//) {
        my ($verb, @words) = split / /, $1, -1;
        obey_one($verb, @words);
    }
    return if $count;
    $connected = 0;
    end_tree('closed', now() + $grace) if $launched;
}

sub obey_one {
    my ($verb, @words) = @_;
    if ($verb eq 'arg') { push @argv, pack('H*', $words[0]) }
    elsif ($verb eq 'env') { $extra_env{ pack('H*', $words[0]) } = pack('H*', $words[1]) }
    elsif ($verb eq 'grace') { $grace = $words[0] }
    elsif ($verb eq 'start') { ($term_at, $kill_at) = @words; launch() }
    elsif ($verb eq 'deadline') { move_deadline(@words) }
    elsif ($verb eq 'signal') { pass_on($words[0]) }
    elsif ($verb eq 'stop') { end_tree('order', $words[0]) }
    else { warn "tenure guardian: unknown order $verb\n"; end_tree('closed', now() + $grace) }
}

# Once the tree is ending, a renewal cannot call the SIGTERM back; then a deadline may only bring SIGKILL forward.
sub move_deadline {
    my ($new_term_at, $new_kill_at) = @_;
    return if !$launched;
    if (!$ending) { ($term_at, $kill_at) = ($new_term_at, $new_kill_at) }
    elsif ($new_kill_at < $kill_at) { $kill_at = $new_kill_at }
}

sub launch {
    if (now() >= $term_at) { report('late'); report('gone'); exit 0 }    # frozen or starved since the order was sent
    pipe($exec_report, my $exec_failure) or return cannot_run();    # close-on-exec, as all above fd 2 in perl
    my $guardian = $$;
    $child = fork();
    defined $child or return cannot_run();
    become_child($guardian, $exec_failure) if $child == 0;
    $launched = 1;
    # The terminal, the pipes and the directory are the child's; holding them would keep readers and mounts waiting.
    open(STDIN, '<', '/dev/null');
    open(STDOUT, '>', '/dev/null');
    chdir '/';
}

sub cannot_run { report_failure($! + 0); report('gone'); exit 0 }

sub become_child {
    my ($guardian, $exec_failure) = @_;
    POSIX::setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    POSIX::_exit(126) if getppid() != $guardian;    # it died before the line above could take effect
    # Tenure's own variables may carry credentials; perl's were put aside so that they could not change this program.
    my %kept = map { /^TENURE_KEEP_(.+)/s ? ($1 => $ENV{$_}) : () } keys %ENV;
    delete @ENV{ grep { /^(?:TENURE_|PERL)/ } keys %ENV };
    %ENV = (%ENV, %kept, %extra_env);
    $SIG{$_} = $ignored_before{$_} ? 'IGNORE' : 'DEFAULT' for @signals;
    $SIG{CHLD} = 'DEFAULT';
    exec { $argv[0] } @argv;                        # the block form never asks a shell to parse anything
    syswrite($exec_failure, $! + 0);
    POSIX::_exit(126);
}

# The report pipe is closed by a successful exec and carries the errno of a failed one.
sub settle_exec {
    my $readable = '';
    vec($readable, fileno($exec_report), 1) = 1;
    return unless defined $wait_status || select($readable, undef, undef, 0) > 0;
    my $count = sysread($exec_report, my $errno, 16);
    return if !defined $count && $! == POSIX::EINTR();
    undef $exec_report;
    if ($count) { report_failure($errno); $child = 0 }
    else { report("started $child") }
}

sub report_failure {
    my ($errno) = @_;
    $! = $errno;
    report("failed $errno $!");
}

sub reap {
    while (1) {
        my $pid = waitpid(-1, POSIX::WNOHANG());
        if ($pid == -1) { $empty = 1; last }
        last if $pid == 0;
        next if $pid != $child;
        $wait_status = $?;
        settle_exec() while $exec_report;    # a short-lived child: its start is reported before its end
        next if !$child;
        report(($wait_status & 127) ? 'signaled ' . ($wait_status & 127) : 'exited ' . ($wait_status >> 8));
    }
    # Where orphans go to init (no subreaper), the process group is all that can still be asked.
    $empty = 0 if $empty && !$subreaper && $child && kill(0, -$child);
    # The command is over; what it left running ends with it.
    end_tree('exit', now() + $grace) if defined $wait_status && !$empty;
}

# Signals that say "end" go to the whole group, as from a terminal. Others mean something to the command itself and
# would, by their default action, kill helpers that never heard of them.
sub pass_on {
    my ($signal) = @_;
    return if !$child || defined $wait_status;    # reaped: the number may belong to somebody else by now
    my $whole_group = $signal == SIGINT || $signal == SIGQUIT || $signal == SIGTERM;
    kill($signal, $whole_group && !$exec_report ? -$child : $child);
}

# SIGTERM goes out once: what a handler starts in order to clean up must be left to work until SIGKILL.
sub end_tree {
    my ($why, $at) = @_;
    return if !$launched;
    $kill_at = $at if $at < $kill_at;
    return if $ending;
    $ending = 1;
    report("ending $why");
    return if now() >= $kill_at;    # nothing left to be polite with
    signal_tree(SIGTERM);
    signal_tree(POSIX::SIGCONT());    # a stopped process notices SIGTERM only when it is continued
}

# Several passes at once, since something may fork between the look and the blow; then with pauses until all is gone.
sub kill_tree {
    my ($now) = @_;
    $killing_since //= $now;
    for (1 .. 3) { signal_tree(SIGKILL) or last }
    report('killing') if !$told_killing++;
    $kill_pause *= 1.5 if $kill_pause < 1;
    return if $told_stuck || $now < $killing_since + STUCK_AFTER;
    $told_stuck = 1;
    report(join ' ', 'stuck', map { $_->[0] } descendants());
}

# By group: each process gets one signal, and none can fork out of its group unseen. Alone only before its setsid.
sub signal_tree {
    my ($signal) = @_;
    my @alive = descendants();
    my $own_group = getpgrp();
    # A group of another pid namespace reads as 0, which kill() would take for our own, and -1 for everybody.
    my %targets = map { $_->[1] == $own_group || $_->[1] <= 1 ? ($_->[0] => 1) : (-$_->[1] => 1) } @alive;
    $targets{ -$child } = 1 if $child && !@alive && !$subreaper;
    kill($signal, $_) for keys %targets;
    return scalar @alive;
}

# [pid, process group] of every living descendant.
sub descendants {
    opendir(my $proc, '/proc') or return;
    my (%children, %alive);
    for my $pid (grep { /^\d+$/ } readdir $proc) {
        open(my $file, '<', "/proc/$pid/stat") or next;
        sysread($file, my $stat, 4096) or next;
        my ($state, $parent, $group) = $stat =~ /^.*\) (\S) (\d+) (\d+)/s or next;    # greedy: names may contain ") "
        push @{ $children{$parent} }, $pid;
        $alive{$pid} = [ $pid, $group ] if $state !~ /[ZX]/;
    }
    my @found;
    my @queue = ($$);
    while (defined(my $pid = shift @queue)) {
        push @queue, @{ $children{$pid} // [] };
        push @found, $alive{$pid} if $alive{$pid} && $pid != $$;
    }
    return @found;
}

# The few short lines of a term fit the socket's buffer also when the supervisor is stopped and reads nothing.
sub report { syswrite($control, "$_[0]\n") }

sub prctl {
    my ($option, $value) = @_;
    return 0 if !$prctl_number;
    return syscall($prctl_number, $option, $value, 0, 0, 0) == 0;
}

sub make_nonblocking { fcntl($_[0], POSIX::F_SETFL(), POSIX::O_NONBLOCK()) }

sub allow_all_signals { POSIX::sigprocmask(POSIX::SIG_SETMASK(), POSIX::SigSet->new()) }
