//! Free ports of 127.0.0.1.

use std::net::TcpListener;

use anyhow::{Context, Result};

/// Ports that were free a moment ago, each a different one.
///
/// They are released before the server takes them, so another program may be faster: a caller
/// that needs to be sure tries again.
pub(crate) fn free<const COUNT: usize>() -> Result<[u16; COUNT]> {
    let mut ports = [0; COUNT];
    // All are held until the last one is known: the system never gives out the same one twice.
    let mut held = Vec::with_capacity(COUNT);
    for port in &mut ports {
        let probe = TcpListener::bind(("127.0.0.1", 0)).context("no free port on 127.0.0.1")?;
        *port = probe.local_addr()?.port();
        held.push(probe);
    }
    Ok(ports)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn no_port_is_given_twice() {
        let ports: [u16; 30] = super::free().unwrap();
        assert_eq!(BTreeSet::from(ports).len(), 30);
    }
}
