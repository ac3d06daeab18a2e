//! Attempts to break out of a sandbox, and programs that use too much. The processes of a sandbox are copies of this program, so that it
//! has its own main function.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::time::Duration;

use aiperf_sandbox::{Ending, Finished, Python, SandboxError, SandboxLimits, SandboxProgram, enter_if_asked, run};

type SandboxTest = fn(&Python);

const TESTS: &[(&str, SandboxTest)] = &[
    ("a_program_reads_its_input_and_its_files", a_program_reads_its_input_and_its_files),
    ("a_program_that_fails_says_so", a_program_that_fails_says_so),
    ("the_umask_of_the_caller_does_not_matter", the_umask_of_the_caller_does_not_matter),
    ("the_usual_modules_and_threads_work", the_usual_modules_and_threads_work),
    ("the_network_cannot_be_reached", the_network_cannot_be_reached),
    ("nothing_can_be_written", nothing_can_be_written),
    ("the_files_of_the_machine_are_not_there", the_files_of_the_machine_are_not_there),
    ("processes_cannot_be_started", processes_cannot_be_started),
    ("threads_are_limited", threads_are_limited),
    ("memory_is_limited", memory_is_limited),
    ("a_program_that_sleeps_is_ended", a_program_that_sleeps_is_ended),
    ("a_program_that_ignores_signals_is_ended", a_program_that_ignores_signals_is_ended),
    ("a_program_that_computes_for_ever_is_ended", a_program_that_computes_for_ever_is_ended),
    ("signals_do_not_reach_other_processes", signals_do_not_reach_other_processes),
    ("other_processes_cannot_be_seen", other_processes_cannot_be_seen),
    ("other_processes_cannot_be_traced", other_processes_cannot_be_traced),
    ("mounts_and_namespaces_are_refused", mounts_and_namespaces_are_refused),
    ("rights_cannot_be_gained", rights_cannot_be_gained),
    ("a_flood_of_output_is_cut_off", a_flood_of_output_is_cut_off),
    ("a_program_ends_with_its_caller", a_program_ends_with_its_caller),
    ("closed_output_does_not_stop_the_clock", closed_output_does_not_stop_the_clock),
    ("the_environment_of_the_caller_is_not_visible", the_environment_of_the_caller_is_not_visible),
];

/// The argument under which this program is a caller that is killed.
const KILLED_CALLER: &str = "--killed-caller";

fn main() {
    enter_if_asked();
    if let Some(token) = std::env::args().skip_while(|argument| argument != KILLED_CALLER).nth(1) {
        let limits = SandboxLimits { time: Duration::from_secs(60), ..SandboxLimits::default() };
        let files: [(&str, &[u8]); 1] = [("program.py", b"import time\ntime.sleep(1000)")];
        let program = SandboxProgram { files: &files, arguments: &["program.py", &token], stdin: b"" };
        run(&Python::find("python3").unwrap(), &program, &limits).unwrap();
        return;
    }
    let names: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if !aiperf_test_tools::available(&[&["python3", "--version"]]) {
        return;
    }
    let python = Python::find("python3").unwrap();
    if let Err(SandboxError::Unavailable { step, reason }) = attempt(&python, "pass", &SandboxLimits::default()) {
        // A container without the right to make namespaces: no program could be installed that gives it, so that the refusal is what
        // is tested there.
        assert!(!step.is_empty() && !reason.is_empty(), "a refusal names its reason");
        eprintln!("no sandbox here, and the refusal says why: {step}: {reason}");
        return;
    }
    for (name, test) in TESTS {
        if names.is_empty() || names.iter().any(|part| name.contains(part.as_str())) {
            test(&python);
            println!("test {name} ... ok");
        }
    }
    if names.is_empty() {
        repeat_as_an_ordinary_user();
    }
}

/// Root runs all tests again as the user who owns nothing, with the Python of the system.
fn repeat_as_an_ordinary_user() {
    use std::os::unix::process::CommandExt;
    let nobody = 65_534;
    let ordinary = |program: &str| {
        let mut command = std::process::Command::new(program);
        command.uid(nobody).gid(nobody).current_dir("/").env("PATH", "/usr/bin:/bin").env_remove("TMPDIR");
        command
    };
    let has_python = ordinary("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_python {
        println!("not repeated as an ordinary user: not run by root, or no Python for all users");
        return;
    }
    let again = ordinary("/proc/self/exe").arg("_").args(TESTS.iter().map(|(name, _)| *name)).status().unwrap();
    assert!(again.success(), "as an ordinary user: {again}");
}

/// The processes whose arguments contain `token`.
fn processes_with(token: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let arguments = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    arguments.filter(|arguments| String::from_utf8_lossy(arguments).contains(token)).count()
}

fn a_program_ends_with_its_caller(_: &Python) {
    let token = format!("token-{}", std::process::id());
    let mut caller = std::process::Command::new("/proc/self/exe").args([KILLED_CALLER, &token]).spawn().unwrap();
    let wait_for = |count: usize| {
        for _ in 0..600 {
            if processes_with(&token) == count {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{} processes of the sandbox instead of {count}", processes_with(&token));
    };
    // The caller, the keeper and the program.
    wait_for(3);
    caller.kill().unwrap();
    caller.wait().unwrap();
    wait_for(0);
}

fn attempt(python: &Python, text: &str, limits: &SandboxLimits) -> Result<Finished, SandboxError> {
    let program = SandboxProgram {
        files: &[("program.py", text.as_bytes())],
        arguments: &["program.py"],
        stdin: b"first\nsecond\n",
    };
    run(python, &program, limits)
}

fn ended(python: &Python, text: &str) -> Finished {
    let limits = SandboxLimits { time: Duration::from_secs(120), cpu_seconds: 60, ..SandboxLimits::default() };
    attempt(python, text, &limits).unwrap()
}

/// Runs a program that must find out by itself that it cannot do something: it prints `contained`.
fn contained(python: &Python, text: &str) {
    let finished = ended(python, text);
    let (stdout, stderr) = (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
    assert!(finished.succeeded() && stdout.trim() == "contained", "{:?}\n{stdout}\n{stderr}", finished.ending);
}

fn a_program_reads_its_input_and_its_files(python: &Python) {
    let finished =
        ended(python, "import sys\nprint(input())\nprint(sys.stdin.read().strip(), open('program.py').read()[:6])");
    assert_eq!((finished.ending, finished.stdout), (Ending::Exited(0), b"first\nsecond import\n".to_vec()));
}

fn a_program_that_fails_says_so(python: &Python) {
    let finished = ended(python, "raise ValueError('wrong')");
    assert_eq!(finished.ending, Ending::Exited(1));
    assert!(String::from_utf8_lossy(&finished.stderr).contains("ValueError: wrong"));
    assert_eq!(ended(python, "import sys; sys.exit(7)").ending, Ending::Exited(7));
}

fn the_umask_of_the_caller_does_not_matter(python: &Python) {
    let usual = nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(0o077));
    contained(python, "print('contained')");
    nix::sys::stat::umask(usual);
}

fn the_usual_modules_and_threads_work(python: &Python) {
    contained(
        python,
        r"
import bisect, collections, decimal, fractions, functools, heapq, itertools, json, math, random, re, string, sys, threading
sys.setrecursionlimit(100_000)
threading.stack_size(64 << 20)
def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)
found = []
thread = threading.Thread(target=lambda: found.append(deep(20_000)))
thread.start()
thread.join()
assert found == [20_000]
print('contained')
",
    );
}

fn the_network_cannot_be_reached(python: &Python) {
    contained(
        python,
        r"
import ctypes, os, socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
    try:
        socket.socket(family, socket.SOCK_STREAM if family != socket.AF_NETLINK else socket.SOCK_RAW)
    except OSError:
        continue
    raise SystemExit(f'a socket of family {family}')
try:
    socket.getaddrinfo('localhost', 80)
except OSError:
    pass
print('contained')
",
    );
}

fn nothing_can_be_written(python: &Python) {
    contained(
        python,
        r"
import os
for path in ('/task/new', '/new', '/tmp/new', '/usr/new', '/dev/new', '/task/program.py', '/dev/shm/new', '/usr/bin/python3'):
    try:
        open(path, 'w')
    except OSError:
        continue
    raise SystemExit(f'{path} is writable')
for act in (lambda: os.mkdir('/task/folder'), lambda: os.unlink('program.py'), lambda: os.rename('program.py', 'b'), lambda: os.chmod('program.py', 0o777), lambda: os.mkfifo('/task/pipe'), lambda: os.symlink('/', '/task/link')):
    try:
        act()
    except OSError:
        continue
    raise SystemExit('the file system is writable')
print('contained')
",
    );
}

fn the_files_of_the_machine_are_not_there(python: &Python) {
    contained(
        python,
        r"
import os
for path in ('/etc/passwd', '/etc/shadow', '/home', '/var', '/sys', '/run', '/root/.ssh', '/root/.bashrc', '/dev/sda', '/dev/mem', '/dev/kmsg', '/proc/version'):
    if os.path.exists(path):
        raise SystemExit(f'{path} is there')
for way in ('../../../../../..', '/task/../..'):
    if 'etc' in os.listdir(way):
        raise SystemExit('the old root is there')
print('contained')
",
    );
}

fn processes_cannot_be_started(python: &Python) {
    contained(
        python,
        r"
import os, subprocess
started = 0
for attempt in range(200):
    try:
        if os.fork() == 0:
            while True:
                os.fork()
        started += 1
    except OSError:
        pass
for program in ('/bin/sh', '/usr/bin/env'):
    try:
        subprocess.run([program])
        started += 1
    except OSError:
        pass
if started:
    raise SystemExit(f'{started} processes')
print('contained')
",
    );
}

fn threads_are_limited(python: &Python) {
    contained(
        python,
        r"
import threading
stop = threading.Event()
started = []
try:
    for number in range(500):
        thread = threading.Thread(target=stop.wait)
        thread.start()
        started.append(thread)
except RuntimeError:
    pass
stop.set()
if len(started) > 16:
    raise SystemExit(f'{len(started)} threads')
print('contained')
",
    );
}

fn memory_is_limited(python: &Python) {
    let limits = SandboxLimits { memory_bytes: 256 << 20, time: Duration::from_secs(120), ..SandboxLimits::default() };
    let program = "kept = []\ntry:\n    while True:\n        kept.append(bytearray(16 << 20))\nexcept MemoryError:\n    count = len(kept)\n    kept.clear()\n    print(count)";
    let finished = attempt(python, program, &limits).unwrap();
    let blocks: u32 = String::from_utf8_lossy(&finished.stdout).trim().parse().unwrap();
    assert!(finished.succeeded() && (1..=16).contains(&blocks), "{finished:?}");
    let killed = attempt(python, "x = 'a' * (1 << 40)", &limits).unwrap();
    assert_eq!(killed.ending, Ending::Exited(1));
}

fn short() -> SandboxLimits {
    SandboxLimits { time: Duration::from_millis(700), ..SandboxLimits::default() }
}

fn a_program_that_sleeps_is_ended(python: &Python) {
    let finished = attempt(python, "import time\nprint('started', flush=True)\ntime.sleep(1000)", &short()).unwrap();
    assert_eq!(finished.ending, Ending::OutOfTime);
}

fn a_program_that_ignores_signals_is_ended(python: &Python) {
    let program = "import os, signal, time\nfor number in range(1, 65):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\ntry:\n    os.setsid()\nexcept OSError:\n    pass\nwhile True:\n    time.sleep(1)";
    assert_eq!(attempt(python, program, &short()).unwrap().ending, Ending::OutOfTime);
}

fn a_program_that_computes_for_ever_is_ended(python: &Python) {
    let limits = SandboxLimits { cpu_seconds: 1, time: Duration::from_secs(120), ..SandboxLimits::default() };
    let finished = attempt(python, "while True: pass", &limits).unwrap();
    assert_eq!(finished.ending, Ending::Killed(9));
}

fn signals_do_not_reach_other_processes(python: &Python) {
    let own = std::process::id();
    contained(
        python,
        &format!(
            r"
import os, signal
for process in ({own}, os.getppid() or {own}, 2, 100):
    try:
        os.kill(process, signal.SIGKILL)
    except OSError:
        continue
    raise SystemExit(f'process {{process}} can be reached')
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
print('contained')
"
        ),
    );
}

fn other_processes_cannot_be_seen(python: &Python) {
    contained(
        python,
        r"
import os
assert os.getpid() == 1 and os.getppid() == 0, (os.getpid(), os.getppid())
if os.path.exists('/proc/1') or os.path.exists('/proc/self'):
    raise SystemExit('/proc is there')
print('contained')
",
    );
}

fn other_processes_cannot_be_traced(python: &Python) {
    contained(
        python,
        r"
import ctypes, errno
c = ctypes.CDLL(None, use_errno=True)
for request, process in ((0, 0), (16, 1), (0x4206, 1)):
    if c.ptrace(request, process, None, None) != -1 or ctypes.get_errno() != errno.EPERM:
        raise SystemExit('ptrace works')
if c.process_vm_readv(1, None, 0, None, 0, 0) != -1:
    raise SystemExit('the memory of a process can be read')
print('contained')
",
    );
}

fn mounts_and_namespaces_are_refused(python: &Python) {
    contained(
        python,
        r"
import ctypes
c = ctypes.CDLL(None, use_errno=True)
for call in (lambda: c.mount(b'none', b'/task', b'tmpfs', 0, None), lambda: c.mount(None, b'/usr', None, 32 | 4096, None), lambda: c.umount2(b'/usr', 2),
             lambda: c.unshare(0x10000000), lambda: c.unshare(0x20000), lambda: c.setns(0, 0), lambda: c.chroot(b'/usr'), lambda: c.sethostname(b'x', 1)):
    if call() != -1:
        raise SystemExit('a mount or a namespace can be made')
print('contained')
",
    );
}

fn rights_cannot_be_gained(python: &Python) {
    contained(
        python,
        r"
import ctypes, os, resource
c = ctypes.CDLL(None, use_errno=True)
assert c.prctl(39, 0, 0, 0, 0) == 1, 'new privileges are possible'
class Header(ctypes.Structure):
    _fields_ = [('version', ctypes.c_uint32), ('pid', ctypes.c_int)]
data = (ctypes.c_uint32 * 6)()
assert c.capget(ctypes.byref(Header(0x20080522, 0)), data) == 0 and not any(data), 'capabilities'
if os.getuid() != 0:
    try:
        os.setuid(0)
    except OSError:
        pass
    assert os.getuid() != 0
for limit in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC):
    try:
        resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError):
        continue
    raise SystemExit('limits can be raised')
print('contained')
",
    );
}

fn a_flood_of_output_is_cut_off(python: &Python) {
    let limits = SandboxLimits { output_bytes: 100_000, time: Duration::from_secs(120), ..SandboxLimits::default() };
    for stream in ["stdout", "stderr"] {
        let program = format!("import sys\nwhile True:\n    sys.{stream}.write('x' * 4096)");
        let finished = attempt(python, &program, &limits).unwrap();
        assert_eq!(finished.ending, Ending::TooMuchOutput);
        assert!(finished.stdout.len() + finished.stderr.len() <= 100_000);
    }
}

fn closed_output_does_not_stop_the_clock(python: &Python) {
    let program = "import os, time\nos.close(1)\nos.close(2)\nos.close(0)\ntime.sleep(1000)";
    assert_eq!(attempt(python, program, &short()).unwrap().ending, Ending::OutOfTime);
}

fn the_environment_of_the_caller_is_not_visible(python: &Python) {
    contained(
        python,
        "import os, socket\nassert 'CARGO' not in os.environ and len(os.environ) < 10, os.environ\nassert socket.gethostname() == 'sandbox'\nprint('contained')",
    );
}
