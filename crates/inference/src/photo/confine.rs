//! Limits that a decoding process sets for itself.

pub(super) use system::{confine, cpu_time};

#[cfg(target_os = "linux")]
mod system {
    use std::time::Duration;
    use std::{fs, io};

    use rustix::process::{Resource, Rlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    /// Address space in addition to the estimate, for small allocations and the allocator's overhead.
    const SLACK_BYTES: u64 = 64 * 1024 * 1024;

    /// A process that has dropped the rights that it does not need.
    pub(in crate::photo) struct Confined {
        /// Address space in use before the first photograph.
        base_bytes: u64,
    }

    /// Forbids opening files, starting processes or threads, core dumps and new privileges; if the machine runs out
    /// of memory, the kernel kills this process first.
    pub(in crate::photo) fn confine() -> io::Result<Confined> {
        // Read first, because no file can be opened afterwards.
        let base_bytes = address_space_bytes()?;
        // Best effort: some containers mount it read-only.
        // 1000 is the maximum: the kernel kills this process before the server that waits for it.
        let _ = fs::write("/proc/self/oom_score_adj", "1000");
        rustix::thread::set_no_new_privs(true)?;
        for resource in [Resource::Nofile, Resource::Nproc, Resource::Core, Resource::Fsize] {
            setrlimit(resource, Rlimit { current: Some(0), maximum: Some(0) })?;
        }
        Ok(Confined { base_bytes })
    }

    impl Confined {
        /// Allows this much memory and CPU time for the next photograph; the CPU time is rounded up by 1 to 2 s.
        pub(in crate::photo) fn allow(&self, memory_bytes: u64, cpu: Duration) -> io::Result<()> {
            let set = |resource, limit: u64| {
                // A lower limit that was set when the program was started stays in force.
                let maximum = rustix::process::getrlimit(resource).maximum;
                // Only the soft limit changes with each photograph, since a hard limit can only be lowered.
                let current = Some(maximum.map_or(limit, |maximum| maximum.min(limit)));
                setrlimit(resource, Rlimit { current, maximum })
            };
            set(Resource::As, self.base_bytes + memory_bytes + SLACK_BYTES)?;
            // The watchdog kills the process earlier; this limit applies if the watchdog is stuck.
            set(Resource::Cpu, (cpu_time() + cpu).as_secs() + 2)?;
            Ok(())
        }
    }

    /// CPU time of all threads so far.
    pub(in crate::photo) fn cpu_time() -> Duration {
        let now = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    }

    fn address_space_bytes() -> io::Result<u64> {
        // In pages (proc_pid_statm(5)).
        let statm = fs::read_to_string("/proc/self/statm")?;
        let pages = statm.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
        let pages = pages.ok_or_else(|| io::Error::other("/proc/self/statm does not begin with a number"))?;
        Ok(pages * rustix::param::page_size() as u64)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    /// Other systems provide no more than a separate process.
    pub(in crate::photo) struct Confined;

    pub(in crate::photo) fn confine() -> io::Result<Confined> {
        Ok(Confined)
    }

    impl Confined {
        pub(in crate::photo) fn allow(&self, _memory_bytes: u64, _cpu: Duration) -> io::Result<()> {
            Ok(())
        }
    }

    /// Time since the start, in place of CPU time.
    pub(in crate::photo) fn cpu_time() -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}
