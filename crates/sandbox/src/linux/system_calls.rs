//! Which system calls a program may make. A call that a Python program has no use for fails with `EPERM`.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

/// Calls that are refused whatever their arguments are: network, other processes, mounts, namespaces, the kernel itself, and interfaces
/// with a long list of past errors.
#[rustfmt::skip]
const REFUSED: &[libc::c_long] = &[
    libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen, libc::SYS_accept, libc::SYS_accept4,
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_kcmp, libc::SYS_pidfd_open, libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount,
    libc::SYS_fspick, libc::SYS_open_tree, libc::SYS_move_mount, libc::SYS_mount_setattr, libc::SYS_unshare, libc::SYS_setns,
    libc::SYS_open_by_handle_at, libc::SYS_name_to_handle_at,
    libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register, libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key, libc::SYS_fanotify_init,
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module, libc::SYS_kexec_load, libc::SYS_reboot, libc::SYS_swapon,
    libc::SYS_swapoff, libc::SYS_syslog, libc::SYS_acct, libc::SYS_quotactl, libc::SYS_settimeofday, libc::SYS_clock_settime,
    libc::SYS_adjtimex, libc::SYS_clock_adjtime, libc::SYS_sethostname, libc::SYS_setdomainname, libc::SYS_personality,
    libc::SYS_memfd_create, libc::SYS_setpriority, libc::SYS_sched_setscheduler, libc::SYS_sched_setattr,
    libc::SYS_mq_open, libc::SYS_shmget, libc::SYS_msgget, libc::SYS_semget,
];

/// Calls of this processor only.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] =
    &[libc::SYS_fork, libc::SYS_vfork, libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[libc::c_long] = &[];

/// Restricts this process and everything it becomes.
pub(super) fn restrict() -> Result<(), Error> {
    apply_filter(&refused_calls()?)?;
    apply_filter(&missing_calls()?)
}

fn filter(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: libc::c_int) -> Result<BpfProgram, BackendError> {
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, std::env::consts::ARCH.try_into()?)?.try_into()
}

fn refused_calls() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().chain(REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    // A program may start threads, but no processes: `clone` without the flag of threads is refused.
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let process = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![process])?]);
    filter(rules, libc::EPERM)
}

/// The flags of `clone3` are in memory, where a filter cannot see them. Without it the C library uses `clone`.
fn missing_calls() -> Result<BpfProgram, BackendError> {
    filter(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)
}
