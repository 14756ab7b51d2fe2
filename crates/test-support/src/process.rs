//! Helper processes of tests, none of which is waited for without end.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than any helper takes to start when all is well, on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_mins(1);

/// What `find` makes of the first line on standard output that it accepts. Without one for a minute, or when the
/// process ends before, the test fails with everything that the process printed.
///
/// Standard output must be piped; it is read to its end. Standard error, where it is piped, is read after a failure only.
pub fn first_line<T>(child: &mut Child, find: impl Fn(&str) -> Option<T>) -> T {
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    // It ends with the process, which would be stopped by a pipe that nobody reads.
    thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            // Nobody asks for what comes after the line.
            let _ = sender.send(line);
        }
    });
    let deadline = Instant::now() + PATIENCE;
    let mut printed = String::new();
    while let Ok(line) = lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        if let Some(found) = find(&line) {
            return found;
        }
        printed.push_str(&line);
        printed.push('\n');
    }
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    if let Some(mut stderr) = child.stderr.take() {
        let _ = stderr.read_to_string(&mut printed);
    }
    panic!("the process did not print the line that it was to: {printed}");
}
