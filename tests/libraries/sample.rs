//! The same as `sample.c`, in Rust and without a crate.

use std::ffi::{c_int, c_void};

type Write = unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, length: usize);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn living_conformance_v1(
    message: *const u8,
    length: usize,
    write: Write,
    context: *mut c_void,
) -> c_int {
    // The header promises these bytes for the time of the call.
    let message = unsafe { std::slice::from_raw_parts(message, length) };
    let message = String::from_utf8_lossy(message);
    let answer = if message.contains("\"type\":\"hello\"") {
        r#"{"type":"hello","session":1,"name":"sample","language":"Rust"}"#.to_owned()
    } else if let Some((_, after)) = message.split_once("\"id\":") {
        let id: String = after.chars().take_while(char::is_ascii_digit).collect();
        assert!(!message.contains("project_id: panics"), "as asked");
        let verdict = if message.contains("project_id: good") { "accept" } else { "reject" };
        format!(r#"{{"type":"reply","id":{id},"verdict":"{verdict}"}}"#)
    } else {
        return 0;
    };
    unsafe { write(context, answer.as_ptr(), answer.len()) };
    0
}
