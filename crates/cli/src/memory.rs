//! Keeps the memory of a long-running server flat.

/// Blocks from this size on are given back to the system as soon as they are free.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVE_BACK_BYTES: libc::c_int = 8 * 1024 * 1024;
/// As much that is free at the end of a heap is kept for what comes next.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BYTES: libc::c_int = 4 * 1024 * 1024;

/// Tells the C library's allocator to map every large block by itself, and to keep some memory at hand.
///
/// Its own rule raises that limit to the largest block it has seen freed. Pixels of photographs and the
/// 19 MiB of a password hash then come out of heaps in which small blocks settle between them. Under load in
/// rounds of one sign-up and a thousand scans, a server grew by 20 MB a round, the size of one hash; with a
/// fixed limit it stays at 120 MB, at the same speed.
///
/// A fixed limit also fixes how much free memory at the end of a heap is kept, at 128 kB. Each photograph then gave
/// its pixels back and faulted them in again: of 1,500 photographs, 512,000 page faults and a second of the kernel's time.
/// With 4 MB it is 20,000 and 0.2 s, and no more memory at the peak.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the C library has no other interface, and the alternative is an environment variable"
)]
pub(crate) fn give_back_large_blocks() {
    for (option, bytes) in [(libc::M_MMAP_THRESHOLD, GIVE_BACK_BYTES), (libc::M_TRIM_THRESHOLD, KEPT_BYTES)] {
        // SAFETY: `mallopt` takes two integers and may be called at any time; here no other thread runs yet. A
        // refusal, its result 0, leaves the allocator as it was.
        let _ = unsafe { libc::mallopt(option, bytes) };
    }
}

/// Other allocators have no such rule.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_large_blocks() {}
