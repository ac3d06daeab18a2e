//! What fills the screen between header and footer.

mod client_page;
mod compact;
mod help;
mod overview;
mod progress_page;
mod server_page;
mod startup;

pub(crate) use client_page::client_page;
pub(crate) use compact::compact;
pub(crate) use help::help;
pub(crate) use overview::overview;
pub(crate) use progress_page::progress_page;
pub(crate) use server_page::server_page;
pub(crate) use startup::startup;
