//! The picture of a game in the README is what the terminal shows. `LUDEX_UPDATE=1 cargo test` draws it
//! anew.

use std::path::Path;

use crate::pseudo_terminal::Terminal;

#[test]
fn the_picture_of_a_game_is_what_the_terminal_shows() {
    // The number of lanes decides which playouts `mc` plays.
    #[cfg(target_arch = "x86_64")]
    let has_512_lanes = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    #[cfg(not(target_arch = "x86_64"))]
    let has_512_lanes = false;
    if !has_512_lanes {
        eprintln!("skipped: the picture was drawn with 512 lanes (AVX-512), which this processor lacks");
        return;
    }
    let arguments = ["play", "connect_four", "--against", "mc:each=8", "--playouts", "800", "--seed", "4"];
    let mut terminal = Terminal::start(&arguments, 76, 16);
    for (step, column) in [(0, 4), (2, 3), (4, 5)] {
        terminal.wait_for(&[&format!("step {step}"), "red> _"]);
        terminal.press(&format!("{column}\r"));
    }
    terminal.wait_for(&["step 6", "red> _"]);
    terminal.press("drop 2");
    terminal.wait_for(&["red> drop 2_"]);
    let drawn = anstyle_svg::Term::new().render_svg(&terminal.styled());
    terminal.press("\x15\x03");
    terminal.end();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/play.svg");
    if std::env::var_os("LUDEX_UPDATE").is_some() {
        std::fs::write(&path, &drawn).expect("written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == drawn, "the picture is out of date; draw it anew with LUDEX_UPDATE=1 cargo test");
}
