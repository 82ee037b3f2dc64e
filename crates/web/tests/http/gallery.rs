//! The games to choose from.

use crate::client::Server;

#[test]
fn every_game_is_listed_with_what_filters_need() {
    let server = Server::new();
    let games = server.get("/api/games").json();
    let games = games.as_array().unwrap();
    assert_eq!(games.len(), ludex_library::sheets().len());
    for game in games {
        assert!(!game["title"].as_str().unwrap().is_empty(), "{game}");
        assert!(!game["roles"].as_array().unwrap().is_empty(), "{game}");
        assert!(["single-player", "turn-taking", "simultaneous"].contains(&game["kind"].as_str().unwrap()));
        assert!(game["length"].is_number(), "{game}");
    }
    let sheet = server.get("/api/games/tic_tac_toe/sheet").json();
    assert!(sheet["text"].as_str().unwrap().contains("(role"));
    assert_eq!(server.get("/api/games/no_such_game/sheet").status, 404);
}

/// Previews are drawn boards, in the style that people know, and always the same.
#[test]
fn games_have_pictures_in_their_styles() {
    let server = Server::new();
    let styles = [
        ("connect_four", "rack"),
        ("othello", "stones"),
        ("hex_small", "hex"),
        ("hanoi", "stack"),
        ("breakthrough_tiny", "checkered"),
        ("english_draughts", "draughts"),
        ("chinese_checkers_2", "lattice"),
        ("eight_puzzle", "tiles"),
        ("sudoku_easy", "boxes"),
        ("tic_tac_toe", "plain"),
    ];
    for (name, style) in styles {
        let preview = server.get(&format!("/api/games/{name}/preview")).json();
        assert_eq!(preview["style"], style, "{name}");
        let grids = preview["picture"]["grids"].as_array().unwrap();
        assert!(!grids.is_empty(), "{name}");
        let texts: Vec<&str> = grids[0]["cells"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|row| row.as_array().unwrap())
            .filter_map(|cell| cell["t"].as_str())
            .collect();
        assert!(texts.iter().any(|text| !["·", " "].contains(text)), "{name}: nothing is on the board");
        let other = Server::new().get(&format!("/api/games/{name}/preview")).json();
        assert_eq!(preview, other, "{name}");
    }
    assert_eq!(server.get("/api/games/no_such_game/preview").status, 404);
}
