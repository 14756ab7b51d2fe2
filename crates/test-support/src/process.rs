//! Helper processes of tests, none of which is waited for without end.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::PATIENCE;

/// What `find` makes of the first line on standard output that it accepts. Without one in time, or when the process ends
/// before, the test fails with everything that the process printed.
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

/// Runs a command to its end, with what it prints.
pub fn output(command: &mut Command) -> Output {
    end(&mut command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Waits for the end of a process, and gives what it prints to its pipes. One that does not end in time is killed, and the
/// test fails with all of that.
pub fn end(child: &mut Child) -> Output {
    // A process that reads its input to the end would otherwise wait for us.
    drop(child.stdin.take());
    let (stdout, stderr) = (child.stdout.take().map(read), child.stderr.take().map(read));
    let deadline = Instant::now() + PATIENCE;
    let mut has_ended = true;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            has_ended = false;
            child.kill().unwrap();
        }
        // The standard library has no wait with a limit.
        thread::sleep(Duration::from_millis(2));
    };
    let text = |reading: Option<JoinHandle<Vec<u8>>>| reading.map_or_else(Vec::new, |it| it.join().unwrap());
    let output = Output { status, stdout: text(stdout), stderr: text(stderr) };
    let printed = [&output.stdout[..], &output.stderr].concat();
    assert!(has_ended, "the process did not end: {}", String::from_utf8_lossy(&printed));
    output
}

/// Reads on, since a pipe that nobody reads stops the process.
fn read(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error is what there is to show.
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}
