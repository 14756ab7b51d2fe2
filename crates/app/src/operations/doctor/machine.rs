//! Checks of the machine: processor, memory, open files, clock.

use std::fs;
use std::thread::available_parallelism;

use jiff::{SignedDuration, Timestamp};
use partsight_inference::control_group_memory;

use super::{Finding, size};

/// A server used 120 MB after thousands of scans; decoding a large photograph takes a few hundred MB more.
const ENOUGH_MEMORY: u64 = 1_000_000_000;
const LEAST_MEMORY: u64 = 400_000_000;
/// One per connection, and some for files and the database.
const ENOUGH_FILES: u64 = 4096;
/// The newest row may be this far ahead of the clock.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(1);
/// 2026-01-01 in Unix seconds: an earlier clock is wrong, because this version did not exist yet.
const BEFORE_THIS_PROGRAM: i64 = 1_767_225_600;

pub(super) fn processor() -> Finding {
    let cores = available_parallelism().map_or(1, usize::from);
    let found = |how: &str| format!("{cores} cores, {how}");
    #[cfg(target_arch = "x86_64")]
    {
        let vnni = is_x86_feature_detected!("avx512vnni") || is_x86_feature_detected!("avxvnni");
        match (is_x86_feature_detected!("avx2"), vnni) {
            (_, true) => Finding::ok("processor", found("with VNNI, which int8 models are fastest on")),
            (true, false) => {
                Finding::ok("processor", found("with AVX2, without VNNI: int8 models take longer"))
            }
            (false, false) => Finding::warning(
                "processor",
                found("without AVX2"),
                "a scan takes several times as long as on a processor with AVX2",
            ),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Finding::ok("processor", found(std::env::consts::ARCH))
}

pub(super) fn memory() -> Finding {
    let Ok(text) = fs::read_to_string("/proc/meminfo") else {
        return Finding::ok("memory", "this system does not say how much there is");
    };
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    let total = kilobytes("MemTotal").unwrap_or_default() * 1024;
    let available = kilobytes("MemAvailable").unwrap_or_default() * 1024;
    // A container may limit memory further. The limit of a service is seen by the service alone.
    let limit = control_group_memory().unwrap_or(u64::MAX);
    let (total, available) = (total.min(limit), available.min(limit));
    let found = format!("{} of {} available", size(available), size(total));
    match total {
        0..LEAST_MEMORY => {
            Finding::problem("memory", found, "the server needs 1 GB to decode large photographs")
        }
        LEAST_MEMORY..ENOUGH_MEMORY => {
            Finding::warning("memory", found, "give it 1 GB or more, or lower `max_photo_pixels`")
        }
        _ => Finding::ok("memory", found),
    }
}

pub(super) fn open_files() -> Finding {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let numbers: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
    let [soft, hard, ..] = numbers[..] else {
        return Finding::ok("open-files", "this system does not say how many files may be open");
    };
    let found = format!("{soft} open files, up to {hard}, for programs started here");
    // "unlimited", which does not parse, is enough.
    if hard.parse::<u64>().is_ok_and(|hard| hard < ENOUGH_FILES) {
        return Finding::warning(
            "open-files",
            found,
            "each connection is one: raise it, with `LimitNOFILE=65536` in a systemd unit",
        );
    }
    Finding::ok("open-files", found)
}

pub(super) fn clock(now: Timestamp, newest_row: Option<Timestamp>) -> Finding {
    let shown = now.strftime("%Y-%m-%d %H:%M:%S UTC");
    let advice = "set the clock, and keep it right with NTP (`timedatectl set-ntp true`)";
    if now.as_second() < BEFORE_THIS_PROGRAM {
        return Finding::problem("clock", format!("it is {shown}, before this program was made"), advice);
    }
    match newest_row {
        // A warning, because such rows stay when a clock that was ahead is right again.
        Some(newest) if newest.duration_since(now) > CLOCK_TOLERANCE => Finding::warning(
            "clock",
            format!(
                "it is {shown}, and the newest session or scan is of {}",
                newest.strftime("%Y-%m-%d %H:%M:%S UTC")
            ),
            format!(
                "if it is behind, {advice}; if it was ahead before, what is of that time does no harm, and this ends \
                 when that is gone: sign out everywhere on the account page, and delete those scans from the history"
            ),
        ),
        Some(_) => Finding::ok("clock", format!("it is {shown}, not before the newest session or scan")),
        None => {
            Finding::ok("clock", format!("it is {shown}; there is no session or scan to compare it with"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Health;
    use super::*;

    #[test]
    fn a_clock_behind_the_newest_row_is_a_warning_and_one_from_before_the_program_a_problem() {
        let now: Timestamp = "2026-11-23T04:44:24Z".parse().unwrap();
        let after = |seconds| Some(now + SignedDuration::from_secs(seconds));
        let cases = [
            (now, None, Health::Ok),
            (now, after(-3600), Health::Ok),
            (now, after(59), Health::Ok),
            (now, after(61), Health::Warning),
            (Timestamp::UNIX_EPOCH, None, Health::Problem),
        ];
        for (now, newest_row, expected) in cases {
            assert_eq!(clock(now, newest_row).health, expected, "{now} {newest_row:?}");
        }
    }
}
