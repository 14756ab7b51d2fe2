//! How much memory one input takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

/// Bytes that are held now, and the most that were since [`peak_of`] began. Those of all threads: what a decoding
/// thread takes for an input counts for the input.
static HELD: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);
/// Budgets after which memory is refused.
const REFUSED_BUDGETS: isize = 4;
/// What may be held at most; whoever asks for more gets nothing, which ends the process where it is not expected.
static LIMIT: AtomicIsize = AtomicIsize::new(isize::MAX);

/// The system's allocator, with a count and a limit. A binary declares it as its global allocator.
#[derive(Debug, Clone, Copy)]
pub struct Counting;

impl Counting {
    fn grow(bytes: usize) -> bool {
        let bytes = isize::try_from(bytes).unwrap_or(isize::MAX);
        let held = HELD.fetch_add(bytes, Relaxed).saturating_add(bytes);
        PEAK.fetch_max(held, Relaxed);
        let fits = held <= LIMIT.load(Relaxed);
        if !fits {
            HELD.fetch_sub(bytes, Relaxed);
        }
        fits
    }

    fn shrink(bytes: usize) {
        HELD.fetch_sub(isize::try_from(bytes).unwrap_or(isize::MAX), Relaxed);
    }
}

#[expect(
    unsafe_code,
    reason = "an allocator can only be written with it; every call is handed on as it came"
)]
// SAFETY: each call goes to the system's allocator with what the caller gave; only a refusal, which callers of an
// allocator must expect, is added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::grow(layout.size()) {
            return null_mut();
        }
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !Self::grow(layout.size()) {
            return null_mut();
        }
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Self::shrink(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if new_size > layout.size() && !Self::grow(new_size - layout.size()) {
            return null_mut();
        }
        if new_size < layout.size() {
            Self::shrink(layout.size() - new_size);
        }
        // SAFETY: as the caller promised.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

/// The most that was held while `work` ran, beside what was held before, in bytes; 0 where [`Counting`] is not the
/// allocator. Several times the `budget` is never handed out, whatever asks for it: the machine has other work.
pub(crate) fn peak_of(budget: usize, work: impl FnOnce()) -> usize {
    /// Lifts the limit also where `work` panics.
    struct Limited;
    impl Drop for Limited {
        fn drop(&mut self) {
            LIMIT.store(isize::MAX, Relaxed);
        }
    }
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let most = isize::try_from(budget).unwrap_or(isize::MAX).saturating_mul(REFUSED_BUDGETS);
    LIMIT.store(before.saturating_add(most), Relaxed);
    let limited = Limited;
    work();
    drop(limited);
    usize::try_from(PEAK.load(Relaxed) - before).unwrap_or(0)
}
