//! The game manager and live matches of other processes, in a browser.

use ludex_arena::{Event, MatchSetup, Rulebook, run_match};
use ludex_web::publish::Publisher;

use crate::driver::in_browser;

#[test]
fn a_round_robin_is_set_up_by_hand_and_played() {
    in_browser(async |page| {
        page.go("/manage").await;
        page.find("form.setup .boxes input").await;
        let game = page.find("#game").await;
        game.send_keys("Tic-Tac-Toe\u{e007}").await.unwrap();
        page.until("document.querySelectorAll('.chips li').length === 1").await;
        for spec in ["random", "easy"] {
            page.click(&format!(".boxes input[value={spec}]")).await;
        }
        page.find("#spec").await.send_keys("legal\u{e007}").await.unwrap();
        page.until("document.querySelector('.boxes input[value=legal]')?.checked").await;
        page.script("document.getElementById('play').value = '0.1';").await;
        page.click("form.setup button.primary").await;
        page.until("location.pathname.startsWith('/tournaments/')").await;
        page.until("document.querySelector('.status').textContent.startsWith('over: 6 of 6')").await;
        page.until("document.querySelectorAll('.tables table').length === 2").await;
        page.until("document.querySelectorAll('.tables table:first-of-type tbody tr').length >= 3").await;
        page.click(".matches li a").await;
        page.until("document.querySelectorAll('.goal').length === 2").await;
    });
}

/// A match of another process is watched live to its end.
#[test]
fn a_published_match_is_watched_to_its_end() {
    in_browser(async |page| {
        let publisher = Publisher::new(&page.url).unwrap();
        let (go, told) = std::sync::mpsc::channel::<()>();
        let play = std::thread::spawn(move || {
            let text = ludex_library::find("tic_tac_toe").unwrap().text;
            let rulebook = Rulebook::new("tic_tac_toe", text).unwrap();
            let players = vec!["mc:each=8".parse().unwrap(), "random".parse().unwrap()];
            let setup = MatchSetup { playouts: Some(20), seed: 1, ..MatchSetup::new(players) };
            let mut slowly = |event: &Event<'_>| {
                if let Event::Moved { .. } = event {
                    told.recv().unwrap();
                }
            };
            run_match(&rulebook, &setup, &mut publisher.watch_match(&mut slowly)).unwrap()
        });
        page.go("/matches").await;
        page.click(".matches a").await;
        for moves in 1..=2 {
            page.until(&format!("document.querySelectorAll('.piece .mark').length === {moves}")).await;
            go.send(()).unwrap();
        }
        for _ in 2..9 {
            let _ = go.send(());
        }
        page.until("document.querySelectorAll('.goal').length === 2").await;
        let record = play.join().unwrap();
        let shown = page.script("return document.querySelectorAll('.history li').length;").await;
        assert_eq!(shown, record.steps());
        // What the player thought about its first move.
        page.click(".history button").await;
        page.until("document.querySelector('.thoughts').textContent.includes('playouts')").await;
    });
}

/// The server is started again: the page says so, and goes on with a new match.
#[test]
fn a_page_outlives_its_server() {
    in_browser(async |page| {
        page.go("/games/tic_tac_toe").await;
        page.click("form.setup button[type=submit]").await;
        page.until("document.querySelector('.status.mine')").await;
        page.restart();
        page.until("document.querySelector('.status').textContent.includes('not on the server any more')")
            .await;
        page.click(".side h1 a").await;
        page.click("form.setup button[type=submit]").await;
        page.until("document.querySelector('.status.mine')").await;
        page.click(".cell.target").await;
        page.until("document.querySelectorAll('.history li').length >= 1").await;
    });
}
