//! Writing rules in a browser.

use crate::driver::in_browser;

/// A game for one: three stones are taken one by one. `MISTAKE` makes it right or wrong.
const SHEET: &str = "(role you) (init (left 3)) (<= (legal you take) (true (left ?n)) MISTAKE)
(<= (next (left ?m)) (does you take) (true (left ?n)) (less ?n ?m))
(less 3 2) (less 2 1) (less 1 0)
(<= terminal (true (left 0))) (goal you 100)";

/// A broken sheet is pasted, its diagnostic seen, the sheet fixed and played to the end.
#[test]
fn a_broken_sheet_is_fixed_and_played() {
    in_browser(async |page| {
        page.go("/write").await;
        page.until("document.querySelector('.status')?.textContent === 'No errors.'").await;
        let paste = |text: &str| {
            let text = serde_json::to_string(text).unwrap();
            format!(
                "const {{ view }} = document.querySelector('.editor');
                 view.dispatch({{ changes: {{ from: 0, to: view.state.doc.length, insert: {text} }} }});"
            )
        };
        page.script(&paste(&SHEET.replace("MISTAKE", "(not (true (gone ?x)))"))).await;
        page.until("document.querySelector('.findings .error')").await;
        let found = page.script("return document.querySelector('.findings').textContent;").await;
        assert!(found.as_str().unwrap().contains("?x"), "{found}");
        page.until("document.querySelector('.editor').shadowRoot.querySelector('.cm-lintRange-error')").await;
        assert_eq!(page.script("return document.querySelectorAll('.play-this form').length;").await, 0);
        // A click on the finding leads to its place.
        page.click(".findings .error button").await;
        let at = "document.querySelector('.editor').view.state.selection.main.from";
        page.until(&format!("{at} > 60")).await;
        page.script(&paste(&SHEET.replace("MISTAKE", ""))).await;
        page.until("!document.querySelector('.findings .error')").await;
        let draft = page.client.current_url().await.unwrap();
        page.click(".play-this button[type=submit]").await;
        for step in 0..3 {
            // With one legal move nobody is asked: the referee makes it.
            let over = "document.querySelectorAll('.goal').length > 0";
            page.until(&format!("document.querySelectorAll('.history li').length > {step} || {over}")).await;
        }
        page.until("document.querySelector('.status')?.textContent === 'Solved!'").await;
        // The draft is still there.
        page.client.goto(draft.as_str()).await.unwrap();
        page.until("document.querySelector('.editor')?.view?.state.doc.toString().includes('(left 3)')")
            .await;
    });
}

/// Words are coloured, completed and explained, and the layout is made canonical.
#[test]
fn the_editor_knows_the_language() {
    in_browser(async |page| {
        page.go("/write?from=tic_tac_toe").await;
        page.until("document.querySelectorAll('.outline li').length > 5").await;
        let inside = "document.querySelector('.editor').shadowRoot";
        let colour = format!(
            "return getComputedStyle([...{inside}.querySelectorAll('span')].find((e) => e.textContent === 'role')).color;"
        );
        let plain = format!("return getComputedStyle({inside}.querySelector('.cm-content')).color;");
        assert_ne!(page.script(&colour).await, page.script(&plain).await, "styles reach the editor");
        page.script(
            "const { view } = document.querySelector('.editor');
             view.focus();
             view.dispatch({ changes: { from: 0, insert: '(role    z)\\n(contr' }, selection: { anchor: 18 } });",
        )
        .await;
        page.press("o").await;
        page.until(&format!(
            "{inside}.querySelector('.cm-tooltip-autocomplete')?.textContent.includes('control')"
        ))
        .await;
        page.press(&fantoccini::key::Key::Escape.to_string()).await;
        page.script(
            "const { view } = document.querySelector('.editor');
             view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: '(role   z)(role   y)' } });
             [...document.querySelectorAll('button')].find((b) => b.textContent === 'Format').click();",
        )
        .await;
        page.until(
            "document.querySelector('.editor').view.state.doc.toString() === '(role z)\\n(role y)\\n'",
        )
        .await;
    });
}
