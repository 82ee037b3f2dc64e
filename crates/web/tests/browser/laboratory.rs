//! The laboratory in a browser: an experiment from the form to its table.

use crate::driver::in_browser;

#[test]
fn an_experiment_is_started_and_its_results_are_read() {
    in_browser(async |page| {
        page.go("/lab").await;
        page.find("form.setup #games").await;
        page.script(
            "document.getElementById('games').value = 'Tic-Tac-Toe';
             document.getElementById('players').value = 'mc:each=4\\nrandom';
             document.getElementById('amount').value = '20';
             document.getElementById('match-count').value = '4';
             document.getElementById('run-title').value = 'By hand';",
        )
        .await;
        page.click("form.setup button.primary").await;
        page.until("location.pathname.startsWith('/lab/runs/')").await;
        page.until("document.querySelector('.status').textContent.startsWith('over: 4 of 4')").await;
        page.until("document.querySelectorAll('.tables tbody tr').length === 1").await;
        page.go("/lab").await;
        page.click("a[href='/lab/results/by-hand-quick']").await;
        page.until("document.querySelector('.report table')").await;
        page.until("document.querySelector('h1').textContent === 'By hand'").await;
        page.until("[...document.querySelectorAll('.plot img')].every((img) => img.complete && img.naturalWidth > 0)")
            .await;
    });
}
