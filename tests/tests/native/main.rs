//! The native host against the stubborn fake: what no well-behaved server shows.

#![cfg(test)]

mod calls;
#[cfg(target_os = "linux")]
mod descendants;
mod eras;
mod handlers;
mod life;

use std::{path::PathBuf, time::Duration};

use selvedge::{
    Connection, Options, Server,
    core::{ClientConfig, Patience},
};

const STUBBORN: &str = env!("CARGO_BIN_EXE_stubborn");

fn stubborn(flags: &[&str]) -> Server {
    Server::new(STUBBORN, flags)
}

/// Options with short graces, so that the worst server is gone in well under a second.
fn hasty() -> Options {
    let mut options = Options::default();
    options.client.close_grace = Duration::from_millis(50);
    options.client.terminate_grace = Duration::from_millis(50);
    options
}

fn with(change: impl FnOnce(&mut ClientConfig)) -> Options {
    let mut options = hasty();
    change(&mut options.client);
    options
}

const fn patience(millis: u64) -> Patience {
    Patience::exactly(Duration::from_millis(millis))
}

async fn connect(flags: &[&str], options: Options) -> Connection {
    Connection::prepare(stubborn(flags), options).connect().await.expect("a session")
}

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("selvedge-native-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
