//! One target under libFuzzer: `PARTSIGHT_FUZZ_TARGET` names it, and libFuzzer's own options follow.

#![no_main]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use partsight_fuzz::{Counting, Target};

#[global_allocator]
static MEMORY: Counting = Counting;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("PARTSIGHT_FUZZ_TARGET").unwrap_or_default();
    Target::find(&name).unwrap_or_else(|| {
        let names: Vec<&str> = Target::ALL.iter().map(|target| target.name).collect();
        eprintln!("PARTSIGHT_FUZZ_TARGET must be one of {}", names.join(", "));
        std::process::exit(2)
    })
});

thread_local! {
    /// Of the last panic of this thread, which may have been caught where it belongs.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

fuzz_target!(
    init: {
        // libFuzzer's hook ends the process at every panic, also at one that a decoder is shielded from.
        std::panic::set_hook(Box::new(|panic| {
            PANIC.with_borrow_mut(|text| *text = format!("{panic}\n{}", std::backtrace::Backtrace::capture()));
        }));
        LazyLock::force(&TARGET);
    },
    |data: &[u8]| {
        if catch_unwind(AssertUnwindSafe(|| TARGET.run(data))).is_err() {
            PANIC.with_borrow(|text| eprintln!("{text}"));
            std::process::abort();
        }
    }
);
