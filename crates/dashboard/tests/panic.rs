//! A program that panics while the dashboard is on its terminal leaves a terminal that a shell can go on with.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use aiperf_dashboard::{Dashboard, DashboardHooks, Theme};
use aiperf_live::LiveRun;
use aiperf_test_tools::available;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

/// Set in the process that panics.
const PANICS: &str = "AIPERF_TEST_PANICS";

/// Does nothing unless it is started by the test below, on a terminal of its own.
#[test]
fn panics_with_the_dashboard_on_its_terminal() {
    if env::var_os(PANICS).is_none() {
        return;
    }
    let hooks = DashboardHooks { closed: Box::new(|| ()) };
    let _dashboard = Dashboard::start(&LiveRun::example(), Theme::dark(), hooks).unwrap();
    assert!(aiperf_dashboard::is_on_screen());
    panic!("this is the message");
}

#[test]
fn a_panic_gives_the_terminal_back_before_its_message() {
    if !available(&[&["setsid", "--version"]]) {
        return;
    }
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let path = PathBuf::from(ptsname(&person, Vec::new()).unwrap().into_string().unwrap());
    let terminal = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let end = || Stdio::from(terminal.try_clone().unwrap());
    let reader = thread::spawn(move || {
        let (mut shown, mut person) = (Vec::new(), File::from(person));
        // It ends with an error when nobody has the other end any more.
        let _ = person.read_to_end(&mut shown);
        String::from_utf8_lossy(&shown).into_owned()
    });
    let mut child = Command::new("setsid")
        .args(["--ctty", "--"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "panics_with_the_dashboard_on_its_terminal", "--nocapture"])
        .env(PANICS, "1")
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap();
    assert!(!child.wait().unwrap().success());
    let modes = tcgetattr(&terminal).unwrap().local_modes;
    assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO));
    drop(terminal);
    let shown = reader.join().unwrap();
    let left = shown.find("\x1b[?1049l").expect("the dashboard leaves the screen");
    let message = shown.find("this is the message").expect("the message is printed");
    assert!(shown.contains("\x1b[?1049h") && left < message, "{shown:?}");
}
