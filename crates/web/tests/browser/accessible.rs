//! Whether everybody can use the page: axe-core over its views, in a wide window, and in a narrow one in
//! the dark.

use serde_json::{Value, json};

use crate::driver::{Page, in_browser};

/// axe-core 4.10.3 (see its README.md).
const AXE: &str = include_str!("../data/axe-core/axe.min.js");

/// What axe-core finds by the rules of WCAG 2.1 A and AA and its own best practices. Of the gallery a few
/// games are enough; the editor is CodeMirror, whose text takes the focus in a way that axe-core does not
/// see.
const CHECK: &str = "
    const done = arguments[arguments.length - 1];
    axe.run({ exclude: ['.card:nth-child(n+6)', '.editor'] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }).then((found) =>
      done(found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) =>
        `${node.target.join(' ')} ${node.any.map((why) => why.message).join('; ')}`).slice(0, 4).join(' | ')}`)));";

async fn check(page: &Page, what: &str) -> Vec<String> {
    page.script(AXE).await;
    let found = page.client.execute_async(CHECK, Vec::new()).await.unwrap();
    let Value::Array(found) = found else { panic!("a list: {found}") };
    found.iter().map(|one| format!("{what}: {}", one.as_str().unwrap())).collect()
}

/// Every view with what must be there before it is checked.
const VIEWS: [(&str, &str); 8] = [
    ("/", ".card svg"),
    ("/games/chess", ".preview svg"),
    ("/games/connect_four/inside", ".understood table"),
    ("/matches", ".matches"),
    ("/manage", "form.setup .boxes input"),
    ("/lab", "form.setup #experiment option"),
    ("/write", ".editor"),
    ("/nothing", "[role=alert]"),
];

#[test]
fn nothing_keeps_people_out() {
    in_browser(async |page| {
        let mut found = Vec::new();
        let night = page.dark().await;
        for (page, width, height, name) in [(page, 1280, 900, "wide"), (&night, 390, 844, "narrow, dark")] {
            page.client.set_window_size(width, height).await.unwrap();
            for (path, ready) in VIEWS {
                page.go(path).await;
                page.find(ready).await;
                found.extend(check(page, &format!("{path}, {name}")).await);
                let wider = page.script("return document.documentElement.scrollWidth > innerWidth;").await;
                if wider == json!(true) {
                    found.push(format!("{path}, {name}: it must be scrolled sideways"));
                }
            }
            page.go("/games/othello").await;
            page.click("form.setup button[type=submit]").await;
            page.until("document.querySelector('.status.mine')").await;
            page.click(".cell.target").await;
            page.until("document.querySelectorAll('.history li').length >= 2").await;
            found.extend(check(page, &format!("a match, {name}")).await);
        }
        night.close().await;
        found.sort();
        found.dedup();
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}

/// Nothing moves under the pointer while a match is played: the layout of the board stays.
#[test]
fn the_board_stays_where_it_is() {
    const PLACE: &str = "const r = document.querySelector('.boards svg').getBoundingClientRect();
        return [r.left, r.top, r.width, r.height].map((n) => Math.round(n)).join(' ');";
    in_browser(async |page| {
        for (width, height) in [(1280, 900), (390, 844)] {
            page.client.set_window_size(width, height).await.unwrap();
            page.go("/games/tic_tac_toe").await;
            page.find("form.setup").await;
            page.choose("#seat-1", "here").await;
            page.click("form.setup button[type=submit]").await;
            page.until("document.querySelector('.status.mine')").await;
            page.script("scrollTo(0, 0);").await;
            let first = page.script(PLACE).await;
            for moves in 1..=3 {
                page.script(
                    "document.querySelector('.cell.target').dispatchEvent(new KeyboardEvent('keydown', \
                    { key: 'Enter', bubbles: true }));",
                )
                .await;
                page.until(&format!("document.querySelectorAll('.history li').length === {moves}")).await;
                page.script("scrollTo(0, 0);").await;
                assert_eq!(page.script(PLACE).await, first, "after {moves} moves at {width}");
            }
        }
    });
}
