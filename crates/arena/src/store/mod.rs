//! The store: results of many matches in one SQLite file, safe against a kill at any point.
//!
//! A match is one row, written in one transaction when it is over: it is there as a whole or not at
//! all. The journal is written ahead and synchronised at every commit, so what [`Store::append`]
//! has returned from stays, whatever happens to the process. Several processes may append to one
//! file; they wait for each other. The record itself is in the row too, compressed: the other
//! columns are for finding it.

use std::borrow::Borrow;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use serde::Serialize;

use crate::record::{MAX_RECORD_BYTES, MatchRecord, RecordError};

/// Tells our files from those of others; `LUDX`.
const APPLICATION: i64 = 0x4C55_4458;
/// The form of the tables.
const SCHEMA: i64 = 1;
/// How long to wait for other processes.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait before trying again.
const PAUSE: Duration = Duration::from_millis(2);

const TABLES: &str = "
CREATE TABLE matches (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    token TEXT NOT NULL,
    game TEXT NOT NULL,
    players TEXT NOT NULL,
    seed INTEGER NOT NULL,
    start_clock REAL NOT NULL,
    play_clock REAL NOT NULL,
    playouts INTEGER,
    started INTEGER NOT NULL,
    finished INTEGER NOT NULL,
    completed INTEGER NOT NULL,
    goals TEXT NOT NULL,
    errors INTEGER NOT NULL,
    moves INTEGER NOT NULL,
    record BLOB NOT NULL,
    UNIQUE (id, token)
) STRICT;
CREATE INDEX matches_by_game ON matches (game, number);
";

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says no.
    #[error("{}", words(.0))]
    Database(rusqlite::Error),
    /// A database, but not ours.
    #[error("the file is not a store of matches")]
    Foreign,
    /// Ours, but of another time.
    #[error("the store has schema version {0}; this program reads version {SCHEMA}")]
    Schema(i64),
    /// A record in it cannot be read.
    #[error("the record of match {id} cannot be read: {problem}")]
    Record {
        /// Its id.
        id: String,
        /// Why.
        problem: RecordError,
    },
    /// Compressed bytes that are none.
    #[error("the record cannot be decompressed: {0}")]
    Packed(#[from] std::io::Error),
}

/// What SQLite says is in the words of the variant, so it is no source: that would say it again.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Database(error)
    }
}

fn words(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => "the file is not a store of matches".to_owned(),
        _ => format!("the store cannot be used: {error}"),
    }
}

impl StoreError {
    /// Whether somebody else is at work in the file.
    fn is_busy(&self) -> bool {
        let code = match self {
            StoreError::Database(error) => error.sqlite_error_code(),
            _ => None,
        };
        matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }
}

/// What can be seen of a match without its record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// In the order in which matches were added, from 1.
    pub number: i64,
    /// What players knew it by.
    pub id: String,
    /// Name of the game.
    pub game: String,
    /// By role.
    pub players: Vec<String>,
    /// What decided everything random.
    pub seed: u64,
    /// Seconds to get ready.
    pub start_clock: f64,
    /// Seconds for each move.
    pub play_clock: f64,
    /// Playouts for each move, instead of clocks.
    pub playouts: Option<u64>,
    /// When it began, in milliseconds since 1970.
    pub started: u64,
    /// When it ended.
    pub finished: u64,
    /// Whether it was played to its end.
    pub completed: bool,
    /// By role; empty without an end.
    pub goals: Vec<u8>,
    /// Late, illegal and missing answers.
    pub errors: u64,
    /// Joint moves.
    pub moves: u64,
}

/// Results of many matches.
pub struct Store {
    connection: Connection,
}

impl Store {
    /// Opens a store; makes one if there is none.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        // Some locks of a file that is being made are not waited for by SQLite itself.
        let begun = Instant::now();
        loop {
            match Self::open_once(path) {
                Err(error) if error.is_busy() && begun.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                opened => return opened,
            }
        }
    }

    fn open_once(path: &Path) -> Result<Self, StoreError> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        // In one transaction: somebody else may be making the tables between two looks.
        let look = connection.transaction()?;
        let seems_new = is_new(&look)?;
        drop(look);
        if seems_new {
            // Whoever comes first makes the tables; the others wait for the lock.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if is_new(&transaction)? {
                transaction.execute_batch(TABLES)?;
                transaction.pragma_update(None, "application_id", APPLICATION)?;
                transaction.pragma_update(None, "user_version", SCHEMA)?;
            }
            transaction.commit()?;
        }
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(Self { connection })
    }

    /// Adds a match. When this returns, it stays.
    pub fn append(&mut self, record: &MatchRecord) -> Result<i64, StoreError> {
        Ok(self.append_all(std::slice::from_ref(record))?.into_iter().next().unwrap_or_default())
    }

    /// Adds matches, all or none; their numbers.
    pub fn append_all<R: Borrow<MatchRecord>>(&mut self, records: &[R]) -> Result<Vec<i64>, StoreError> {
        // Compressing takes longer than writing: nobody should wait for it.
        let records = || records.iter().map(R::borrow);
        let packed: Vec<Vec<u8>> = records().map(pack).collect::<Result<_, _>>()?;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut numbers = Vec::with_capacity(packed.len());
        for (record, packed) in records().zip(&packed) {
            insert(&transaction, record, packed)?;
            numbers.push(transaction.last_insert_rowid());
        }
        transaction.commit()?;
        Ok(numbers)
    }

    /// How many matches there are.
    pub fn count(&self) -> Result<u64, StoreError> {
        let count: i64 = self.connection.query_row("SELECT count(*) FROM matches", [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// Matches in the order in which they were added, of all games or of one, from behind a number
    /// on.
    pub fn list(&self, game: Option<&str>, behind: i64, most: usize) -> Result<Vec<Row>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT number, id, game, players, seed, start_clock, play_clock, playouts, started, finished,
                    completed, goals, errors, moves
             FROM matches WHERE (?1 IS NULL OR game = ?1) AND number > ?2 ORDER BY number LIMIT ?3",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![game, behind, most], row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The record of a match, by its number.
    pub fn record(&self, number: i64) -> Result<Option<MatchRecord>, StoreError> {
        let found: Option<(String, Vec<u8>)> = self
            .connection
            .query_row("SELECT id, record FROM matches WHERE number = ?1", [number], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        found.map(|(id, packed)| unpack(id, &packed)).transpose()
    }

    /// The record of a match, by its id; the last one if there are several.
    pub fn record_of(&self, id: &str) -> Result<Option<MatchRecord>, StoreError> {
        let sql = "SELECT number FROM matches WHERE id = ?1 ORDER BY number DESC LIMIT 1";
        let number: Option<i64> = self.connection.query_row(sql, [id], |row| row.get(0)).optional()?;
        number.map_or(Ok(None), |number| self.record(number))
    }

    /// What SQLite finds wrong with the file, if anything.
    pub fn damage(&self) -> Result<Option<String>, StoreError> {
        let found: String = self.connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        Ok((found != "ok").then_some(found))
    }
}

/// Whether there is nothing in the file yet; an error if there is something that is not ours.
fn is_new(connection: &Connection) -> Result<bool, StoreError> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id")?;
    let schema = number("PRAGMA user_version")?;
    match (application, schema, number("SELECT count(*) FROM sqlite_schema")?) {
        (0, 0, 0) => Ok(true),
        (APPLICATION, SCHEMA, _) => Ok(false),
        (APPLICATION, other, _) => Err(StoreError::Schema(other)),
        _ => Err(StoreError::Foreign),
    }
}

fn insert(connection: &Connection, record: &MatchRecord, packed: &[u8]) -> Result<(), StoreError> {
    let details = record.ludex.as_ref();
    let json = |list: &[String]| serde_json::to_string(list).unwrap_or_default();
    let goals: Vec<String> = record.goal_values.iter().map(u8::to_string).collect();
    connection
        .prepare_cached(
            "INSERT INTO matches (id, token, game, players, seed, start_clock, play_clock, playouts, started,
                                  finished, completed, goals, errors, moves, record)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            record.match_id,
            record.random_token,
            details.map_or(record.game_meta_url.as_deref().unwrap_or(""), |details| &details.game),
            json(&record.player_names_from_host),
            details.map_or(0, |details| details.seed).cast_signed(),
            record.start_clock,
            record.play_clock,
            details.and_then(|details| details.playouts).map(u64::cast_signed),
            record.start_time.cast_signed(),
            details
                .map(|details| details.finish_time)
                .or(record.state_times.last().copied())
                .unwrap_or_default()
                .cast_signed(),
            record.is_completed,
            goals.join(" "),
            record.error_count() as u64 as i64,
            record.steps() as u64 as i64,
            packed,
        ])?;
    Ok(())
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let whole = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    let players: String = row.get(3)?;
    let goals: String = row.get(11)?;
    Ok(Row {
        number: row.get(0)?,
        id: row.get(1)?,
        game: row.get(2)?,
        players: serde_json::from_str(&players).unwrap_or_default(),
        seed: whole(4)?,
        start_clock: row.get(5)?,
        play_clock: row.get(6)?,
        playouts: row.get::<_, Option<i64>>(7)?.map(i64::cast_unsigned),
        started: whole(8)?,
        finished: whole(9)?,
        completed: row.get(10)?,
        goals: goals.split_whitespace().filter_map(|goal| goal.parse().ok()).collect(),
        errors: whole(12)?,
        moves: whole(13)?,
    })
}

fn pack(record: &MatchRecord) -> Result<Vec<u8>, StoreError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(record.to_json().as_bytes())?;
    Ok(encoder.finish()?)
}

fn unpack(id: String, packed: &[u8]) -> Result<MatchRecord, StoreError> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).take(MAX_RECORD_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    MatchRecord::read(&bytes).map_err(|problem| StoreError::Record { id, problem })
}
