//! How much memory searches get if nobody says: half of what is free, shared by the players of the
//! process. With a number of playouts it is a fixed amount, so that results do not depend on the
//! machine.

use ludex_search::Budget;

/// Most and least memory of a player by default. A tree needs no more in hours; with less it is soon
/// full.
const MOST: usize = 16 << 30;
const LEAST: usize = 64 << 20;

/// Memory of each of so many players in this process: as told, or the default. `is_timed`: they
/// think by the clock.
pub(crate) fn of_player(told: Option<usize>, players: usize, is_timed: bool) -> usize {
    match (told, is_timed) {
        (Some(told), _) => told,
        (None, true) => share(available(), players),
        (None, false) => Budget::DEFAULT_MEMORY,
    }
}

fn share(available: Option<usize>, players: usize) -> usize {
    let share = |bytes: usize| (bytes / 2 / players.max(1)).clamp(LEAST, MOST);
    available.map_or(Budget::DEFAULT_MEMORY, share)
}

/// Free memory in bytes, where the system says so (Linux).
fn available() -> Option<usize> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_share_half_of_what_is_free() {
        let text = "MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:   16777216 kB\nBuffers: 1 kB\n";
        assert_eq!(available_in(text), Some(16 << 30));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert_eq!(available_in("MemAvailable: much\n"), None);
        assert_eq!(share(Some(16 << 30), 2), 4 << 30);
        assert_eq!(share(Some(16 << 20), 4), LEAST);
        assert_eq!(share(Some(1 << 40), 1), MOST);
        assert_eq!(share(None, 2), Budget::DEFAULT_MEMORY);
        assert_eq!(of_player(Some(5 << 20), 3, true), 5 << 20);
        assert_eq!(of_player(None, 3, false), Budget::DEFAULT_MEMORY, "whatever the machine has");
    }
}
