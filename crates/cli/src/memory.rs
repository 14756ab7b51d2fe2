//! Keeps the memory of a long-running server flat.

/// Blocks from this size on are given back to the system as soon as they are free.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVE_BACK_BYTES: libc::c_int = 8 * 1024 * 1024;

/// Tells the C library's allocator to map every large block by itself.
///
/// Its own rule raises that limit to the largest block it has seen freed. Pixels of photographs and the
/// 19 MiB of a password hash then come out of heaps in which small blocks settle between them. Under load in
/// rounds of one sign-up and a thousand scans, a server grew by 20 MB a round, the size of one hash; with a
/// fixed limit it stays at 120 MB, at the same speed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the C library has no other interface, and the alternative is an environment variable"
)]
pub(crate) fn give_back_large_blocks() {
    // SAFETY: `mallopt` takes two integers and may be called at any time; here no other thread runs yet. A
    // refusal, its result 0, leaves the allocator as it was.
    let _ = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, GIVE_BACK_BYTES) };
}

/// Other allocators have no such rule.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_large_blocks() {}
