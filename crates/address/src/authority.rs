//! `host:port`, as every kind of URL has it.

use std::net::Ipv6Addr;

use crate::AddressError;

/// Splits and checks `host:port`. The host is a name, an IPv4 address, or an IPv6 address in brackets, which are taken off.
pub(crate) fn host_and_port(text: &str) -> Result<(&str, Option<u16>), AddressError> {
    let wrong_host = |host: &str| AddressError::Host(host.to_owned());
    let (host, after) = if let Some(inside) = text.strip_prefix('[') {
        let (address, after) = inside.split_once(']').ok_or_else(|| wrong_host(text))?;
        address.parse::<Ipv6Addr>().map_err(|_| wrong_host(address))?;
        (address, after)
    } else {
        let (host, after) = text.split_at(text.find(':').unwrap_or(text.len()));
        if host.is_empty() {
            return Err(AddressError::NoHost);
        }
        if !host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b)) {
            return Err(wrong_host(host));
        }
        if after.matches(':').count() > 1 {
            return Err(wrong_host(text));
        }
        (host, after)
    };
    if after.is_empty() {
        return Ok((host, None));
    }
    let Some(port) = after.strip_prefix(':') else { return Err(AddressError::AfterHost(after.to_owned())) };
    let number = port.parse::<u16>().ok().filter(|number| *number > 0 && port.bytes().all(|b| b.is_ascii_digit()));
    number.map(|number| (host, Some(number))).ok_or_else(|| AddressError::Port(port.to_owned()))
}
