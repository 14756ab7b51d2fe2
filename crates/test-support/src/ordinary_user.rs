//! Root as an ordinary user.

/// Runs `body` on a thread of its own on which the permissions of files hold for root as well, also for the programs
/// that it starts: root may otherwise read and write every file, and a test of permissions would test nothing.
pub fn as_ordinary_user(body: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            #[cfg(target_os = "linux")]
            give_up_capabilities();
            body();
        });
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Gives up the capabilities by which root ignores permissions (capabilities(7)), which belong to a thread.
#[cfg(target_os = "linux")]
fn give_up_capabilities() {
    use rustix::thread::{
        CapabilitySet, capabilities, remove_capability_from_bounding_set, set_capabilities,
    };
    let mut sets = capabilities(None).unwrap();
    let given_up = sets.permitted & (CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
    for capability in given_up.iter() {
        // A program that root starts gets all capabilities of this set.
        remove_capability_from_bounding_set(capability).unwrap();
    }
    for set in [&mut sets.effective, &mut sets.permitted, &mut sets.inheritable] {
        set.remove(given_up);
    }
    set_capabilities(None, sets).unwrap();
}
