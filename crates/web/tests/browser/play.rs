//! Playing in a browser: by mouse, by keyboard, several people.

use fantoccini::key::Key;

use crate::driver::{Page, in_browser};

/// The match is over.
const OVER: &str = "document.querySelectorAll('.goal').length > 0";
/// Somebody at this screen is asked, or it is over.
const ASKED: &str = "document.querySelector('.status.mine') || document.querySelectorAll('.goal').length > 0";

async fn is_over(page: &Page) -> bool {
    page.script(&format!("return {OVER};")).await == true
}

/// From the gallery to the end of a match against the machine, by clicks alone.
#[test]
fn tic_tac_toe_is_played_by_clicking() {
    in_browser(async |page| {
        page.find(".card").await;
        page.find("#search").await.send_keys("tic-tac-toe").await.unwrap();
        page.until("document.querySelectorAll('.card').length < 20").await;
        page.click("a.card[href='/games/tic_tac_toe']").await;
        page.find("form.setup").await;
        page.choose("#seat-1", "easy").await;
        page.click("form.setup button[type=submit]").await;
        page.find(".match .cell").await;
        let mut moves = 0;
        loop {
            page.until(ASKED).await;
            if is_over(page).await {
                break;
            }
            let before = page.script("return document.querySelectorAll('.history li').length;").await;
            page.click(".cell.target").await;
            moves += 1;
            page.until(&format!("document.querySelectorAll('.history li').length > {before}")).await;
        }
        assert!((3..=5).contains(&moves), "{moves} moves of five at most");
        let status = page.status().await;
        assert!(["You won!", "A draw.", "o won."].contains(&status.as_str()), "{status}");
        // Back to the first position, and on again.
        page.click(".steps button").await;
        page.until("document.querySelector('.status').textContent.startsWith('Position 0')").await;
        page.until("document.querySelectorAll('.piece .mark').length === 0").await;
        page.click(".steps button:last-child").await;
        page.until("document.querySelectorAll('.piece .mark').length >= 5").await;
        // Another match in the other seat: the machine begins.
        let address = page.client.current_url().await.unwrap();
        let again =
            "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Swap seats').click()";
        page.script(again).await;
        page.until(&format!("location.href !== '{address}'")).await;
        page.until("document.querySelectorAll('.piece .mark').length === 1").await;
    });
}

/// From the search field to the end of a match with keys alone.
#[test]
fn connect_four_is_played_by_keyboard() {
    in_browser(async |page| {
        page.go("/games/connect_four").await;
        page.find("form.setup").await;
        page.choose("#seat-1", "random").await;
        page.script("document.querySelector('form.setup button').focus();").await;
        page.press(&Key::Enter.to_string()).await;
        page.until(ASKED).await;
        // Tab leads to the board, arrows over it.
        let tabs = "document.activeElement.closest('.cell')";
        for _ in 0..12 {
            if page.script(&format!("return Boolean({tabs});")).await == true {
                break;
            }
            page.press(&Key::Tab.to_string()).await;
        }
        page.until(tabs).await;
        let mut rounds = 0;
        let mut right = true;
        while !is_over(page).await {
            rounds += 1;
            assert!(rounds < 60, "the board is full long before");
            page.press(&if right { Key::Right } else { Key::Left }.to_string()).await;
            let column = page.script("return document.activeElement.closest('.cell')?.dataset.column;").await;
            if column == "0" || column == "6" {
                right = !right;
            }
            let before = page.script("return document.querySelectorAll('.history li').length;").await;
            let open =
                page.script("return document.activeElement.closest('.cell').classList.contains('target');");
            if open.await != true {
                continue; // the column is full
            }
            page.press(&Key::Enter.to_string()).await;
            page.until(&format!("document.querySelectorAll('.history li').length > {before}")).await;
            page.until(ASKED).await;
        }
        page.until("document.activeElement.closest('.cell')").await;
    });
}

/// Two people at one screen choose one after the other, and nobody sees the other's choice.
#[test]
fn a_simultaneous_game_hides_choices() {
    in_browser(async |page| {
        page.go("/games/rock_paper_scissors").await;
        page.find("form.setup").await;
        page.choose("#seat-1", "here").await;
        page.click("form.setup button[type=submit]").await;
        page.until("document.querySelector('.status')?.textContent.includes('look away')").await;
        let choose = |name: &str| {
            format!(
                "[...document.querySelectorAll('.choices button')].find((b) => b.textContent === '{name}').click()"
            )
        };
        let first = page.status().await;
        page.script(&choose("rock")).await;
        page.until(&format!("document.querySelector('.status').textContent !== '{first}'")).await;
        let seen = page.script("return document.querySelector('.history').textContent;").await;
        assert_eq!(seen, "", "the first choice is not shown before the second");
        page.script(&choose("paper")).await;
        page.until("document.querySelector('.history').textContent.includes('rock')").await;
        page.until("document.querySelector('.history').textContent.includes('paper')").await;
    });
}

/// Names of a sheet that are markup are shown as text, and no script of theirs runs.
#[test]
fn markup_in_names_is_text() {
    in_browser(async |page| {
        let begin = r#"
            const done = arguments[arguments.length - 1];
            const text = `(role <img/src=x/onerror=document.title='bad'>) (init (cell 1 <b>x</b>))
              (<= (legal ?r (go <i>a</i>)) (role ?r)) (<= (legal ?r <svg/onload=document.title='bad'>) (role ?r))
              (<= (next (cell 1 ?m)) (does ?r ?m)) (<= terminal (true (cell 2 2)))
              (<= (goal ?r 100) (role ?r))`;
            fetch('/api/matches', { method: 'POST', headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ game: { name: '<b>bold</b>', text }, seats: [{ who: 'human' }] }) })
              .then((r) => r.json()).then((opened) => done(opened));"#;
        let opened = page.client.execute_async(begin, Vec::new()).await.unwrap();
        let (id, key) = (opened["id"].as_str().unwrap(), opened["keys"][0].as_str().unwrap());
        page.go(&format!("/match/{id}#{key}")).await;
        page.until("document.querySelectorAll('.choices button').length === 2").await;
        page.click(".choices button").await;
        page.until("document.querySelectorAll('.history li').length >= 1").await;
        let inside =
            page.script("return document.querySelectorAll('main img, main b, main i').length;").await;
        assert_eq!(inside, 0);
        assert_ne!(page.script("return document.title;").await, "bad");
        // The key is not in the address any more.
        assert!(!page.client.current_url().await.unwrap().as_str().contains(key));
    });
}
