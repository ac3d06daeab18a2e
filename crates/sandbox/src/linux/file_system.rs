//! The file system of a program: a small tree in memory, with the folders of Python and the files of the program, all read-only.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::unistd::{chdir, pivot_root};

use super::report::{FailedStep, NamedStep};
use super::{Order, WORK_FOLDER};

/// Devices that Python opens.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];

/// Builds the tree in the folder `root` of the order. It becomes the root of the program later, in [`enter`].
pub(super) fn build(order: &Order) -> Result<(), FailedStep> {
    let nothing: Option<&str> = None;
    // No mount made here reaches the caller.
    mount(nothing, "/", nothing, MsFlags::MS_REC | MsFlags::MS_PRIVATE, nothing).step("private mounts")?;
    let root = &order.root;
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("none"), root, Some("tmpfs"), safe, Some("size=1m,mode=755")).step("file system in memory")?;
    for folder in &order.folders {
        show_folder(folder, root, folder)?;
    }
    show_folder(&order.files, root, Path::new(WORK_FOLDER))?;
    for device in DEVICES {
        let target = inside(root, Path::new(device));
        fs::create_dir_all(inside(root, Path::new("/dev"))).step("devices")?;
        File::create(&target).step("devices")?;
        mount(Some(device), &target, nothing, MsFlags::MS_BIND, nothing).step("devices")?;
    }
    for point in mounts_below(root)? {
        make_read_only(&point)?;
    }
    Ok(())
}

/// Makes the tree the root, and lets go of the old root.
pub(super) fn enter(root: &Path) -> Result<(), FailedStep> {
    chdir(root).step("root folder")?;
    // With the same folder twice the old root lies over the new one, and is taken away.
    pivot_root(".", ".").step("change of the root")?;
    umount2(".", MntFlags::MNT_DETACH).step("removal of the old root")?;
    chdir(WORK_FOLDER).step("working directory")
}

fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// Shows `folder` of the machine at `place` of the tree. A link such as `/lib` becomes the same link.
fn show_folder(folder: &Path, root: &Path, place: &Path) -> Result<(), FailedStep> {
    let nothing: Option<&str> = None;
    let target = inside(root, place);
    if let Ok(link) = fs::read_link(folder) {
        return std::os::unix::fs::symlink(link, target).step("links");
    }
    fs::create_dir_all(&target).step("folders of the tree")?;
    mount(Some(folder), &target, nothing, MsFlags::MS_BIND | MsFlags::MS_REC, nothing).step("folders of Python")
}

/// The places where something is mounted at or below `root`, the innermost last.
fn mounts_below(root: &Path) -> Result<Vec<PathBuf>, FailedStep> {
    let table = fs::read_to_string("/proc/self/mountinfo").step("list of mounts")?;
    let places = table.lines().filter_map(|line| line.split(' ').nth(4)).map(|place| PathBuf::from(unescaped(place)));
    Ok(places.filter(|place| place.starts_with(root)).collect())
}

/// The kernel writes blanks in paths as octal numbers.
fn unescaped(path: &str) -> String {
    path.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

/// Flags that are set already cannot be taken away in a user namespace, and are given again.
fn make_read_only(place: &Path) -> Result<(), FailedStep> {
    use rustix::fs::{StatVfsMountFlags as Present, statvfs};
    let nothing: Option<&str> = None;
    let present = statvfs(place).step("flags of a mount")?.f_flag;
    let mut flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID;
    for (has, flag) in [
        (Present::NODEV, MsFlags::MS_NODEV),
        (Present::NOEXEC, MsFlags::MS_NOEXEC),
        (Present::NOATIME, MsFlags::MS_NOATIME),
        (Present::NODIRATIME, MsFlags::MS_NODIRATIME),
        (Present::RELATIME, MsFlags::MS_RELATIME),
    ] {
        if present.contains(has) {
            flags |= flag;
        }
    }
    mount(nothing, place, nothing, flags, nothing).step("read-only mounts")
}
