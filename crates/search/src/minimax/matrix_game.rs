//! Matrix games solved exactly: the value of simultaneous moves, and a mixed strategy that gets it.
//!
//! Both players choose at once; the row player gets `a[i][j]`, the column player wants it small. A
//! pure saddle point (max_i min_j a = min_j max_i a) is found by looking. Otherwise a linear
//! program: with all payoffs made positive, maximise Σ y_j subject to Σ_j a[i][j] · y_j ≤ 1 and
//! y ≥ 0. The value is 1 / Σ y, the column strategy is y · value, and the row strategy comes from
//! the dual (Dantzig 1951, "A proof of the equivalence of the programming problem and the game
//! problem"). The simplex method runs with Bland's rule, which cannot cycle.

/// The solution of a matrix game.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Solution {
    /// The value for the row player.
    pub(super) value: f64,
    /// Probabilities of the rows.
    pub(super) rows: Vec<f64>,
    /// Probabilities of the columns.
    pub(super) columns: Vec<f64>,
}

/// Numbers this close to 0 are rounding errors; payoffs are goals up to 100.
const TINY: f64 = 1e-11;

/// Pivots at most: far more than games of this size need; Bland's rule ends, but may take long.
const MAX_PIVOTS: usize = 20_000;

/// Solves a game whose payoffs are given row by row, with so many columns. There is at least one
/// payoff.
pub(super) fn solve(payoffs: &[f64], columns: usize) -> Solution {
    let columns = columns.clamp(1, payoffs.len().max(1));
    let rows = payoffs.len() / columns;
    saddle_point(payoffs, rows, columns).unwrap_or_else(|| simplex(payoffs, rows, columns))
}

/// Pure strategies that are best against each other.
fn saddle_point(payoffs: &[f64], rows: usize, columns: usize) -> Option<Solution> {
    let best = |values: &mut dyn Iterator<Item = f64>, sign: f64| -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for (at, value) in values.enumerate() {
            if value * sign > best.1 {
                best = (at, value * sign);
            }
        }
        (best.0, best.1 * sign)
    };
    let column = |at: usize| payoffs[at..].iter().step_by(columns).copied();
    let least = |row: &[f64]| best(&mut row.iter().copied(), -1.0).1;
    let (row, low) = best(&mut payoffs.chunks(columns).map(least), 1.0);
    let most = |at: usize| best(&mut column(at), 1.0).1;
    let (chosen, high) = best(&mut (0..columns).map(most), -1.0);
    let pure = |count: usize, chosen: usize| (0..count).map(|at| f64::from(u8::from(at == chosen))).collect();
    #[allow(clippy::float_cmp, reason = "payoffs are compared with themselves")]
    (low == high).then(|| Solution { value: low, rows: pure(rows, row), columns: pure(columns, chosen) })
}

/// The simplex method on the tableau of the column player.
fn simplex(payoffs: &[f64], rows: usize, columns: usize) -> Solution {
    let shift = 1.0 - payoffs.iter().copied().fold(f64::INFINITY, f64::min);
    // A row for each constraint: payoffs, slack variables, right side; then the objective.
    let width = columns + rows + 1;
    let mut tableau = vec![0.0; (rows + 1) * width];
    for row in 0..rows {
        for column in 0..columns {
            tableau[row * width + column] = payoffs[row * columns + column] + shift;
        }
        tableau[row * width + columns + row] = 1.0;
        tableau[row * width + width - 1] = 1.0;
    }
    tableau[rows * width..rows * width + columns].fill(-1.0);
    let mut basis: Vec<usize> = (columns..columns + rows).collect();
    for _ in 0..MAX_PIVOTS {
        // Bland's rule: the first column that improves, the lowest basic variable among equals.
        let objective = &tableau[rows * width..];
        let Some(enter) = (0..width - 1).find(|&column| objective[column] < -TINY) else { break };
        let mut leave: Option<(f64, usize)> = None;
        for row in 0..rows {
            let factor = tableau[row * width + enter];
            if factor <= TINY {
                continue;
            }
            let ratio = tableau[row * width + width - 1] / factor;
            let is_better = leave.is_none_or(|(least, known)| {
                ratio < least - TINY || (ratio <= least + TINY && basis[row] < basis[known])
            });
            if is_better {
                leave = Some((ratio, row));
            }
        }
        // Payoffs are positive, so the program is bounded and some row limits every column.
        let Some((_, leave)) = leave else { break };
        pivot(&mut tableau, width, leave, enter);
        basis[leave] = enter;
    }
    let mut y = vec![0.0; columns];
    for (row, &variable) in basis.iter().enumerate() {
        if variable < columns {
            y[variable] = tableau[row * width + width - 1];
        }
    }
    let x = &tableau[rows * width + columns..rows * width + columns + rows];
    let (rows, columns) = (distribution(x), distribution(&y));
    // What the strategies are worth against each other, rather than 1 / Σ y: less rounding.
    let of_row = |row: &[f64]| row.iter().zip(&columns).map(|(a, b)| a * b).sum::<f64>();
    let value = payoffs.chunks(columns.len()).zip(&rows).map(|(row, share)| share * of_row(row)).sum();
    Solution { value, rows, columns }
}

fn pivot(tableau: &mut [f64], width: usize, leave: usize, enter: usize) {
    let divisor = tableau[leave * width + enter];
    tableau[leave * width..(leave + 1) * width].iter_mut().for_each(|cell| *cell /= divisor);
    let pivot_row = tableau[leave * width..(leave + 1) * width].to_vec();
    for (at, row) in tableau.chunks_mut(width).enumerate() {
        let factor = row[enter];
        if at != leave && factor != 0.0 {
            row.iter_mut().zip(&pivot_row).for_each(|(cell, pivot)| *cell -= factor * pivot);
        }
    }
}

/// Weights as probabilities.
fn distribution(weights: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = weights.iter().map(|weight| weight.max(0.0)).collect();
    let sum: f64 = weights.iter().sum();
    let even = 1.0 / weights.len().max(1) as f64;
    weights.iter().map(|weight| if sum > 0.0 { weight / sum } else { even }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the row player is sure of with its strategy, and what the column player concedes at most
    /// with the other: equal for optimal strategies only.
    fn guarantees(payoffs: &[f64], solution: &Solution) -> (f64, f64) {
        let columns = solution.columns.len();
        let of_column = |column: usize| {
            let cells = payoffs[column..].iter().step_by(columns);
            cells.zip(&solution.rows).map(|(a, share)| a * share).sum::<f64>()
        };
        let of_row = |row: &[f64]| row.iter().zip(&solution.columns).map(|(a, share)| a * share).sum::<f64>();
        let low = (0..columns).map(of_column).fold(f64::INFINITY, f64::min);
        let high = payoffs.chunks(columns).map(of_row).fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    }

    #[test]
    fn known_games_have_known_values() {
        let rock_paper_scissors = [50.0, 0.0, 100.0, 100.0, 50.0, 0.0, 0.0, 100.0, 50.0];
        let solution = solve(&rock_paper_scissors, 3);
        assert!((solution.value - 50.0).abs() < 1e-9);
        solution.rows.iter().for_each(|share| assert!((share - 1.0 / 3.0).abs() < 1e-9));
        let pennies = solve(&[100.0, 0.0, 0.0, 50.0], 2);
        assert!((pennies.value - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!(solve(&[3.0, 1.0, 5.0, 2.0], 2).value, 2.0);
        assert_eq!(solve(&[7.0], 1), Solution { value: 7.0, rows: vec![1.0], columns: vec![1.0] });
    }

    /// Two rows: the value is the maximum over p of a minimum of straight lines, so it is at an end
    /// or where two lines meet. All of these are tried.
    #[test]
    fn random_games_with_two_rows_agree_with_brute_force() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..3000 {
            let columns = random.usize(1..6);
            let payoffs: Vec<f64> = (0..2 * columns).map(|_| f64::from(random.u8(0..=10)) * 10.0).collect();
            let line = |column: usize, p: f64| p * payoffs[column] + (1.0 - p) * payoffs[columns + column];
            let least = |p: f64| (0..columns).map(|column| line(column, p)).fold(f64::INFINITY, f64::min);
            let mut expected = least(0.0).max(least(1.0));
            for (a, b) in (0..columns).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let slope = |column: usize| payoffs[column] - payoffs[columns + column];
                let p = (payoffs[columns + b] - payoffs[columns + a]) / (slope(a) - slope(b));
                if (0.0..=1.0).contains(&p) {
                    expected = expected.max(least(p));
                }
            }
            let solution = solve(&payoffs, columns);
            assert!((solution.value - expected).abs() < 1e-9, "{payoffs:?}: {solution:?}, not {expected}");
        }
    }

    #[test]
    fn strategies_of_random_games_are_optimal() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..1500 {
            let (rows, columns) = (random.usize(1..12), random.usize(1..12));
            // Few different payoffs: many ties, where a simplex method may cycle.
            let most = if random.bool() { 2 } else { 100 };
            let payoffs: Vec<f64> = (0..rows * columns).map(|_| f64::from(random.u8(0..=most))).collect();
            let solution = solve(&payoffs, columns);
            let (low, high) = guarantees(&payoffs, &solution);
            assert!((high - low).abs() < 1e-7, "{payoffs:?}: {low} to {high}");
            assert!((solution.value - low).abs() < 1e-7);
        }
    }
}
