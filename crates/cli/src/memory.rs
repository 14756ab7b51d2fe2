//! Allocator settings that keep the memory of a long-running server constant.

/// Blocks from this size, in bytes, are returned to the system as soon as they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVE_BACK_BYTES: libc::c_int = 8 * 1024 * 1024;
/// Free bytes at the end of a heap that are kept for reuse.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BYTES: libc::c_int = 4 * 1024 * 1024;

/// Makes glibc's allocator map every large block separately, and keep some free memory for reuse.
///
/// By default glibc raises the threshold for mapping to the largest block freed so far. Pixels of photographs and the
/// 19 MiB of a password hash then come from heaps, which small blocks fragment. Under load in rounds of one sign-up and
/// a thousand scans, a server grew by 20 MB a round, the size of one hash; with a fixed threshold it stays at 120 MB,
/// at the same speed.
///
/// A fixed threshold also fixes the free memory kept at the end of a heap, at 128 kB. Each photograph then returned its
/// pixels and faulted them in again: 1,500 photographs cost 512,000 page faults and one second of kernel time. With
/// 4 MB they cost 20,000 and 0.2 s, at the same peak memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the C library has no other interface, and the alternative is an environment variable"
)]
pub(crate) fn give_back_large_blocks() {
    for (option, bytes) in [(libc::M_MMAP_THRESHOLD, GIVE_BACK_BYTES), (libc::M_TRIM_THRESHOLD, KEPT_BYTES)] {
        // SAFETY: `mallopt` takes two integers and may be called at any time; here no other thread runs yet. On
        // failure (result 0) the allocator is unchanged.
        let _ = unsafe { libc::mallopt(option, bytes) };
    }
}

/// Only glibc has this behaviour.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_large_blocks() {}
