//! Watching, replaying, puzzles, several browsers.

use fantoccini::key::Key;

use crate::driver::in_browser;

/// Begins a match with these seats of the form.
const START: &str = "
    const [game, seats, more] = arguments; const done = arguments[arguments.length - 1];
    Promise.all([import('/setup.js'), import('/gallery.js')]).then(async ([setup, gallery]) => {
      const known = (await gallery.games()).find((one) => one.name === game);
      await setup.open(game, known.roles, seats, more);
      done(location.pathname);
    });";

/// A match between machines is watched to its end; its record is opened and looked at step by step.
#[test]
fn a_match_is_watched_and_its_record_replayed() {
    in_browser(async |page| {
        let arguments = serde_json::json!(["connect_four", ["medium", "random"], { "think": 0.05 }]);
        let address = page.client.execute_async(START, arguments.as_array().unwrap().clone()).await.unwrap();
        page.until("document.querySelectorAll('.goal').length === 2").await;
        page.until("document.querySelectorAll('.cell.winning').length >= 4").await;
        page.until("document.querySelector('.chart polyline')").await;
        let steps = page.script("return document.querySelectorAll('.history li').length;").await;
        let open = format!(
            "const done = arguments[arguments.length - 1];
             fetch('/api{}/record').then((r) => r.text()).then(async (text) => {{
               const {{ replay }} = await import('/matches.js');
               await replay(text);
               done(location.pathname);
             }});",
            address.as_str().unwrap().replace("/match/", "/matches/")
        );
        let replayed = page.client.execute_async(&open, Vec::new()).await.unwrap();
        assert_ne!(replayed, address);
        page.until("document.querySelector('.status').textContent.startsWith('Position 0')").await;
        page.until("document.querySelectorAll('.piece .stone').length === 0").await;
        page.script("document.getElementById('main').focus();").await;
        page.press(&Key::Right.to_string()).await;
        page.until("document.querySelectorAll('.piece .stone').length === 1").await;
        page.until("document.querySelector('.thoughts').textContent.includes('1,000 playouts')").await;
        page.press(&Key::End.to_string()).await;
        page.until(&format!("document.querySelectorAll('.piece .stone').length === {steps}")).await;
        // Other moves from the position before: a match with both seats.
        page.press(&Key::Left.to_string()).await;
        page.press("a").await;
        page.until(&format!("location.pathname !== {replayed} && document.querySelector('.status.mine')"))
            .await;
        page.until(&format!("document.querySelectorAll('.piece .stone').length === {steps} - 1")).await;
    });
}

/// The search is looked at while it thinks, and it follows the position.
#[test]
fn the_search_is_seen_while_it_thinks() {
    in_browser(async |page| {
        page.go("/games/connect_four").await;
        page.choose("#seat-1", "here").await;
        page.click("form.setup button[type=submit]").await;
        page.until("document.querySelector('.status.mine')").await;
        page.script("document.getElementById('main').focus();").await;
        page.press("i").await;
        page.until("document.querySelectorAll('.inside tbody tr').length === 7").await;
        page.until("document.querySelector('.inside .chart polyline')").await;
        page.until("document.querySelector('.inside caption').textContent.startsWith('red')").await;
        page.click(".cell.target").await;
        page.until("document.querySelector('.inside caption')?.textContent.startsWith('yellow')").await;
        page.go("/games/connect_four/inside").await;
        page.until(
            "[...document.querySelectorAll('.understood td')].some((cell) => cell.textContent === '7 × 6')",
        )
        .await;
    });
}

/// A puzzle is solved by the machine, move by move.
#[test]
fn a_puzzle_is_shown() {
    in_browser(async |page| {
        page.go("/games/buttons_and_lights").await;
        page.click("form.setup button[type=submit]").await;
        page.until("document.querySelector('.status.mine')").await;
        page.script(
            "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Show me').click();",
        )
        .await;
        page.until("document.querySelector('.advice .primary')").await;
        page.click(".advice .primary").await;
        page.until("document.querySelector('.status').textContent === 'Solved!'").await;
    });
}

/// Two people in two browsers, one of them by the link; the one cannot move for the other.
#[test]
fn two_browsers_play_one_game() {
    in_browser(async |page| {
        page.go("/games/tic_tac_toe").await;
        page.find("form.setup").await;
        page.choose("#seat-1", "link").await;
        page.click("form.setup button[type=submit]").await;
        page.until("document.querySelector('.invite input')?.value.includes('#')").await;
        let link = page.script("return document.querySelector('.invite input').value;").await;
        let other = page.another().await;
        other.client.goto(link.as_str().unwrap()).await.unwrap();
        other.until("document.querySelectorAll('.cell').length === 9").await;
        other.until("document.querySelectorAll('.cell.target').length === 0").await;
        page.click(".cell.target").await;
        other.until("document.querySelectorAll('.cell.target').length === 8").await;
        page.until("document.querySelectorAll('.cell.target').length === 0").await;
        other.click(".cell.target").await;
        page.until("document.querySelectorAll('.piece .mark').length === 2").await;
        page.until("document.querySelectorAll('.cell.target').length === 7").await;
        other.close().await;
    });
}

/// A page whose server has forgotten the match says so.
#[test]
fn a_match_that_is_gone_is_explained() {
    in_browser(async |page| {
        page.go("/match/gone").await;
        page.until("document.querySelector('[role=alert]')?.textContent.includes('not here any more')").await;
    });
}

/// The tree is unfolded, several continuations have values; a position is set up from its facts.
#[test]
fn a_tree_is_unfolded_and_a_position_set_up() {
    in_browser(async |page| {
        page.go("/games/tic_tac_toe").await;
        page.find("form.setup").await;
        page.choose("#seat-1", "here").await;
        page.click("form.setup button[type=submit]").await;
        page.until("document.querySelector('.status.mine')").await;
        page.script("document.getElementById('main').focus();").await;
        page.press("i").await;
        page.until("document.querySelectorAll('.lines-of-play li').length === 4").await;
        page.click(".tree-box summary").await;
        page.until("document.querySelectorAll('.tree > li').length === 9").await;
        page.click(".tree > li > button").await;
        page.until("document.querySelectorAll('.tree > li > ul > li').length === 8").await;
        page.press("i").await;
        page.script(
            "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Set up').click();",
        )
        .await;
        page.until("document.querySelector('#facts')?.value.includes('(cell 1 1 blank)')").await;
        page.script("const f = document.querySelector('#facts'); f.value = f.value.replace('(cell 1 1 blank)', '(cell 1 1 x');")
            .await;
        page.click(".position button.primary").await;
        page.until("document.querySelector('.position [role=alert]').textContent.includes('facts')").await;
        page.script("const f = document.querySelector('#facts'); f.value = f.value.replace('(cell 1 1 x', '(cell 1 1 x)');")
            .await;
        let before = page.client.current_url().await.unwrap();
        page.click(".position button.primary").await;
        page.until(&format!("location.href !== '{before}'")).await;
        page.until("document.querySelectorAll('.piece .mark').length === 1").await;
    });
}
