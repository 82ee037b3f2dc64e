//! Each dialect of PROTOCOL: letter case, headers, line ends, packets, how the end of an answer is
//! found.

use std::io::Write;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use crate::manager::{Manager, finish, ggp_base_head, is_mark, rules, start};

#[test]
fn a_whole_match_with_ggp_base() {
    let manager = Manager::new("mc");
    let ready = manager.ggp_base(&start("Base.ttt.1", "x", "2", "2"));
    assert_eq!((ready.status, ready.body.as_str()), (200, "ready"));
    assert!(ready.took < Duration::from_secs(2), "START has no grace: {:?}", ready.took);
    assert!(ready.took > Duration::from_secs(1), "the start clock is used: {:?}", ready.took);
    assert_eq!(ready.header("content-type"), Some("text/acl"));
    assert_eq!(ready.header("content-length"), Some("5"));
    assert_eq!(ready.header("connection"), Some("close"));
    assert_eq!(ready.header("access-control-allow-origin"), Some("*"));

    let first = manager.ggp_base("( PLAY Base.ttt.1 NIL )");
    assert!(is_mark(&first.body, &[]), "{first:?}");
    assert!(first.took < Duration::from_secs(2), "{:?}", first.took);
    let spaced = first.body.replace('(', "( ").replace(')', " )");
    // Not our turn: nothing to think about, no need to wait.
    let second = manager.ggp_base(&format!("( PLAY Base.ttt.1 ({spaced} noop ) )"));
    assert_eq!(second.body, "noop");
    assert!(second.took < Duration::from_secs(1), "{:?}", second.took);
    let other = if first.body == "(mark 1 1)" { "(mark 1 2)" } else { "(mark 1 1)" };
    let third = manager.ggp_base(&format!("( PLAY Base.ttt.1 (noop {other} ) )"));
    assert!(is_mark(&third.body, &[&first.body, other]), "{third:?}");
    assert!(third.took < Duration::from_secs(2), "{:?}", third.took);
    let moves = format!("({} noop )", third.body);
    assert_eq!(manager.ask(&format!("( STOP Base.ttt.1 {moves} )")), "done");
    assert_eq!(manager.ask("( PLAY Base.ttt.1 NIL )"), "busy");
    assert_eq!(manager.ask("( ABORT Base.ttt.1 )"), "busy");
}

#[test]
fn dresden_shouts_and_is_answered_in_its_own_voice() {
    let manager = Manager::new("mc");
    let rules = rules().to_uppercase();
    let ready = manager.dresden(&format!("(START ttt.2 X ({rules}) 1 1)"));
    assert_eq!(ready.body.to_lowercase(), "ready");
    let first = manager.dresden("(PLAY ttt.2 NIL)").body;
    assert!(first.starts_with("(MARK ") && is_mark(&first.to_lowercase(), &[]), "{first}");
    assert_eq!(manager.dresden(&format!("(PLAY ttt.2 ({first} NOOP))")).body, "NOOP");
    assert_eq!(manager.dresden(&format!("(STOP ttt.2 (NOOP {first}))")).body, "done");
}

#[test]
fn mixed_letter_case_comes_back_as_it_was() {
    let manager = Manager::new("legal");
    let rules = rules().replace("mark", "Mark").replace("noop", "NoOp");
    assert_eq!(manager.ask(&format!("(start m o ({rules}) 1 1)")), "ready");
    assert_eq!(manager.ask("(play m nil)"), "NoOp");
    assert!(manager.ask("(play m ((MARK 1 1) noop))").starts_with("(Mark "));
}

#[test]
fn packets_may_be_split_anywhere_and_line_ends_be_short() {
    let manager = Manager::new("mc");
    let message = "( INFO )";
    let request = format!("{}{message}", ggp_base_head(message.len(), "\n"));
    let begun = Instant::now();
    let mut stream = manager.connect();
    stream.set_nodelay(true).expect("a socket");
    for byte in request.as_bytes() {
        stream.write_all(&[*byte]).expect("sent");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(finish(stream, begun).body, "( ( name Ludex ) ( status available ) )");
}

#[test]
fn a_message_without_a_length_is_read_to_its_end() {
    let manager = Manager::new("legal");
    let info = "( ( name Ludex ) ( status available ) )";
    // The sender waits: the message ends with its parenthesis.
    assert_eq!(manager.raw(b"POST / HTTP/1.0\r\n\r\n( INFO )").body, info);
    // The sender closes its half.
    let mut stream = manager.connect();
    stream.write_all(b"POST / HTTP/1.0\nAccept: text/delim\n\ninfo").expect("sent");
    stream.shutdown(Shutdown::Write).expect("half closed");
    assert_eq!(finish(stream, Instant::now()).body, info);
    let message = start("m", "x", "0.2", "1");
    assert_eq!(manager.raw(format!("POST / HTTP/1.1\r\nHost: x\r\n\r\n{message}").as_bytes()).body, "ready");
}

#[test]
fn a_sender_may_close_its_half_and_still_gets_its_answer() {
    let manager = Manager::new("mc");
    let message = start("half", "x", "1", "1");
    let begun = Instant::now();
    let mut stream = manager.connect();
    let request = format!("{}{message}", ggp_base_head(message.len(), "\r\n"));
    stream.write_all(request.as_bytes()).expect("sent");
    stream.shutdown(Shutdown::Write).expect("a socket");
    assert_eq!(finish(stream, begun).body, "ready");
}

#[test]
fn http_1_1_is_closed_too() {
    let manager = Manager::new("mc");
    let message = "info";
    let head = format!(
        "POST /any/path HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nContent-Length: {}\r\n\r\n",
        message.len()
    );
    let answer = manager.raw(format!("{head}{message}").as_bytes());
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n(inf\r\n2\r\no)\r\n0\r\n\r\n";
    assert_eq!(manager.raw(chunked.as_bytes()).body, "( ( name Ludex ) ( status available ) )");
}

#[test]
fn browsers_are_answered() {
    let manager = Manager::new("mc");
    let options = manager.raw(b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://y\r\n\r\n");
    assert_eq!((options.status, options.body.as_str()), (200, ""));
    assert_eq!(options.header("access-control-allow-headers"), Some("*"));
    let get = manager.raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!((get.status, get.body.as_str()), (200, "( ( name Ludex ) ( status available ) )"));
    assert_eq!(get.header("access-control-allow-origin"), Some("*"));
    assert_eq!(manager.raw(b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").status, 405);
}
