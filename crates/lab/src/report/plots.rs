//! Plots as SVG: text and lines, no font and no picture in them, for light and dark pages alike.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::ReportError;
use super::measurements::Unit;
use super::page::Plot;

/// Okabe and Ito's colours, which the colour-blind can tell apart and which show on white and on
/// black.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(150, 120, 60),
];
/// Text, axes, and what others published.
const GREY: RGBColor = RGBColor(128, 128, 128);
const FONT: &str = "sans-serif";
/// Sizes of text. Without a font plotters takes a size for a whole line: letters come out a fifth
/// smaller.
const SMALL: i32 = 16;
const LARGE: i32 = 20;
const WIDTH: u32 = 860;
/// Pixels of a row with one mark and maybe a published one below it.
const ROW: u32 = 26;

/// Text is dark on light pages and light on dark ones; standing alone or inside a page.
const STYLE: &str = "<style>svg.plot text{fill:#444}\
@media(prefers-color-scheme:dark){svg.plot text{fill:#ccc}}</style>\n";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A row with a mark and its interval.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) label: String,
    pub(super) colour: usize,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Value and margin.
    pub(super) published: Option<(f64, Option<f64>)>,
}

/// A row with a bar.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) colour: usize,
    pub(super) value: f64,
    pub(super) text: String,
    pub(super) published: Option<f64>,
}

/// Points with lines between them.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) label: String,
    pub(super) colour: usize,
    /// Seconds or playouts, and percents or goals.
    pub(super) points: Vec<(f64, f64)>,
    /// The same as others published it, where clocks are the same.
    pub(super) published: Vec<(f64, f64)>,
}

/// Percents with whiskers, row by row; published ones in grey below ours.
pub(super) fn marks(name: &str, title: &str, rows: &[Mark]) -> Result<Plot, ReportError> {
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    drawn(name, title, height(rows.len()), |area| {
        let published = rows.iter().any(|row| row.published.is_some());
        let note = if published { "points in percent; grey: published" } else { "points in percent" };
        let below = heading(area, title, note)?;
        let mut chart = ChartBuilder::on(&below)
            .margin_left(label_width(&labels))
            .margin_right(20)
            .x_label_area_size(30)
            .build_cartesian_2d(0.0..100.0, 0.0..rows.len() as f64)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(0)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GREY.mix(0.3))
            .axis_style(GREY)
            .x_label_style((FONT, SMALL).into_font().color(&GREY))
            .x_label_formatter(&|x| format!("{x:.0}"))
            .draw()?;
        let half = vec![(50.0, 0.0), (50.0, rows.len() as f64)];
        chart.draw_series([PathElement::new(half, GREY)])?;
        for (place, row) in rows.iter().enumerate() {
            let middle = row_middle(rows.len(), place);
            let (own, other) =
                if row.published.is_some() { (middle + 0.15, middle - 0.2) } else { (middle, middle) };
            if let Some((value, margin)) = row.published {
                let margin = margin.unwrap_or(0.0);
                let ends = vec![((value - margin).max(0.0), other), ((value + margin).min(100.0), other)];
                chart.draw_series([PathElement::new(ends, GREY.stroke_width(2))])?;
                chart.draw_series([Circle::new((value, other), 3, GREY.filled())])?;
            }
            let colour = colour(row.colour);
            let ends = vec![(row.low.max(0.0), own), (row.high.min(100.0), own)];
            chart.draw_series([PathElement::new(ends, colour.stroke_width(2))])?;
            chart.draw_series([Circle::new((row.value, own), 4, colour.filled())])?;
            label_row(&below, &labels, place, chart.backend_coord(&(0.0, middle)).1)?;
        }
        Ok(())
    })
}

/// Bars on a logarithmic axis, row by row; published values as grey marks in them.
pub(super) fn bars(name: &str, title: &str, rows: &[Bar]) -> Result<Plot, ReportError> {
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    let values = || rows.iter().flat_map(|row| std::iter::once(row.value).chain(row.published));
    let logarithm = |value: f64| value.max(1e-9).log10();
    let least = values().map(logarithm).fold(f64::INFINITY, f64::min).floor();
    let most = values().map(logarithm).fold(f64::NEG_INFINITY, f64::max).ceil().max(least + 1.0);
    if !least.is_finite() {
        return drawn(name, title, height(0), |area| {
            heading(area, title, "nothing was measured").map(|_| ())
        });
    }
    drawn(name, title, height(rows.len()), |area| {
        let published = rows.iter().any(|row| row.published.is_some());
        let note = if published { "logarithmic; grey: published" } else { "logarithmic" };
        let below = heading(area, title, note)?;
        let mut chart = ChartBuilder::on(&below)
            .margin_left(label_width(&labels))
            .margin_right(80)
            .x_label_area_size(30)
            .build_cartesian_2d(least..most, 0.0..rows.len() as f64)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(0)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GREY.mix(0.3))
            .axis_style(GREY)
            .x_label_style((FONT, SMALL).into_font().color(&GREY))
            .x_label_formatter(&|x| super::numbers::short(10_f64.powf(*x)))
            .draw()?;
        for (place, row) in rows.iter().enumerate() {
            let middle = row_middle(rows.len(), place);
            let end = logarithm(row.value);
            let corners = [(least, middle - 0.3), (end, middle + 0.3)];
            chart.draw_series([Rectangle::new(corners, colour(row.colour).filled())])?;
            if let Some(value) = row.published {
                let at = logarithm(value);
                let line = vec![(at, middle - 0.42), (at, middle + 0.42)];
                chart.draw_series([PathElement::new(line, GREY.stroke_width(4))])?;
            }
            let (x, y) = chart.backend_coord(&(end, middle));
            let (left, top) = below.get_base_pixel();
            below.draw_text(&row.text, &style(SMALL, HPos::Left, VPos::Center), (x - left + 5, y - top))?;
            label_row(&below, &labels, place, y)?;
        }
        Ok(())
    })
}

/// Lines over a logarithmic axis of seconds or playouts.
pub(super) fn lines(
    name: &str,
    title: &str,
    note: &str,
    unit: Unit,
    series: &[Line],
) -> Result<Plot, ReportError> {
    let points = || series.iter().flat_map(|line| &line.points);
    // Powers of two: each step to the right is twice the time.
    let power = |x: f64| x.max(1e-9).log2();
    let first = points().map(|(x, _)| power(*x)).fold(f64::INFINITY, f64::min) - 0.25;
    let last = points().map(|(x, _)| power(*x)).fold(f64::NEG_INFINITY, f64::max) + 0.25;
    drawn(name, title, height(series.len()).max(360), |area| {
        let below = heading(area, title, note)?;
        if !first.is_finite() {
            return Ok(());
        }
        let labels: Vec<&str> = series.iter().map(|line| line.label.as_str()).collect();
        let mut chart = ChartBuilder::on(&below)
            .margin_left(10)
            .margin_right(label_width(&labels) + 20)
            .x_label_area_size(40)
            .y_label_area_size(40)
            .build_cartesian_2d(first..last, 0.0..100.0)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GREY.mix(0.3))
            .axis_style(GREY)
            .label_style((FONT, SMALL).into_font().color(&GREY))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .draw()?;
        // Labels where something was measured, not where powers of two are.
        let mut times: Vec<f64> = points().map(|(x, _)| *x).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let (left, top) = below.get_base_pixel();
        for time in times {
            let upright = vec![(power(time), 0.0), (power(time), 100.0)];
            chart.draw_series([PathElement::new(upright, GREY.mix(0.3))])?;
            let (x, y) = chart.backend_coord(&(power(time), 0.0));
            below.draw_text(
                &unit.text(time),
                &style(SMALL, HPos::Center, VPos::Top),
                (x - left, y - top + 8),
            )?;
        }
        let (right, _) = chart.backend_coord(&(last, 0.0));
        for (place, line) in series.iter().enumerate() {
            let colour = colour(line.colour);
            let moved = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
                points.iter().map(|&(x, y)| (power(x), y)).collect()
            };
            let pale = colour.mix(0.45);
            chart.draw_series(LineSeries::new(moved(&line.published), pale.stroke_width(1)))?;
            chart.draw_series(moved(&line.published).into_iter().map(|point| Circle::new(point, 3, pale)))?;
            chart.draw_series(LineSeries::new(moved(&line.points), colour.stroke_width(2)))?;
            chart.draw_series(
                moved(&line.points).into_iter().map(|point| Circle::new(point, 3, colour.filled())),
            )?;
            let (x, y) = (right - left + 10, 14 + i32::try_from(place * 20)?);
            below.draw(&PathElement::new(vec![(x, y), (x + 14, y)], colour.stroke_width(3)))?;
            below.draw_text(&line.label, &style(SMALL, HPos::Left, VPos::Center), (x + 20, y))?;
        }
        Ok(())
    })
}

fn drawn(
    name: &str,
    title: &str,
    height: u32,
    draw: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<Plot, ReportError> {
    let failed = |reason: String| ReportError::Plot { name: name.to_owned(), reason };
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        draw(&area).map_err(|error| failed(error.to_string()))?;
        area.present().map_err(|error| failed(error.to_string()))?;
    }
    let (head, rest) = svg.split_once('>').ok_or_else(|| failed("nothing was drawn".to_owned()))?;
    let head = head.replacen("<svg", "<svg class=\"plot\"", 1);
    Ok(Plot {
        name: name.to_owned(),
        title: title.to_owned(),
        svg: format!("{head}>\n{STYLE}{}", rest.trim_start()),
    })
}

/// Draws the title and returns what is left below it.
fn heading<'a>(area: &Area<'a>, title: &str, note: &str) -> Result<Area<'a>, Box<dyn std::error::Error>> {
    area.draw_text(title, &style(LARGE, HPos::Left, VPos::Top), (10, 8))?;
    area.draw_text(note, &style(SMALL, HPos::Left, VPos::Top), (10, 32))?;
    let (_, below) = area.split_vertically(56);
    Ok(below)
}

fn label_row(area: &Area<'_>, labels: &[&str], place: usize, y: i32) -> Drawn {
    let (_, top) = area.get_base_pixel();
    let x = label_width(labels) - 8;
    if let Some(label) = labels.get(place) {
        area.draw_text(label, &style(SMALL, HPos::Right, VPos::Center), (x, y - top))?;
    }
    Ok(())
}

/// How wide labels are is not known without a font: eight pixels a letter are enough for most.
fn label_width(labels: &[&str]) -> i32 {
    let letters = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    i32::try_from(letters * 8 + 24).unwrap_or(i32::MAX).min(420)
}

fn height(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX / 64).saturating_mul(ROW).saturating_add(100)
}

/// Rows go from top to bottom, axes from bottom to top.
fn row_middle(rows: usize, place: usize) -> f64 {
    (rows - place) as f64 - 0.5
}

fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

fn style(size: i32, across: HPos, down: VPos) -> TextStyle<'static> {
    (FONT, size).into_font().color(&GREY).pos(Pos::new(across, down))
}
