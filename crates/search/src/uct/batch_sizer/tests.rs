//! Tests of [`super::BatchSizer`].

use super::super::options::Policy;
use super::*;

/// Records a batch in which playouts took most of the time.
fn record(sizer: &mut BatchSizer, size: BatchSize, time: Duration) {
    let playouts = time.mul_f64(0.8);
    sizer.record(size, BatchTime { all: time, playouts, finished: None });
}

/// A sizer at the start of a search with this time and playout limit, at 1 µs per playout.
fn at_start(time: Option<Duration>, limit: Option<u64>, options: &UctOptions) -> BatchSizer {
    let mut sizer = BatchSizer::new(512, 1, options);
    record(&mut sizer, BatchSize { leaves: 512, playouts: 1 }, Duration::from_micros(512));
    let now = Instant::now();
    sizer.begin(now, time.map(|time| now + time), limit);
    sizer
}

#[test]
fn limits_in_playouts_are_kept_and_do_not_look_at_the_clock() {
    for limit in [1, 7, 500, 10_000] {
        let sizer = at_start(None, Some(limit), &UctOptions::default());
        let now = Instant::now();
        let (mut playouts_left, mut batches) = (limit, 0);
        while playouts_left > 0 {
            let size = sizer.next(now, None, Some(playouts_left)).unwrap();
            assert!(size.total() > 0 && size.total() <= playouts_left);
            playouts_left -= size.total();
            batches += 1;
        }
        assert!(batches >= limit.min(MIN_BATCHES_TO_FILL), "{batches} for {limit}");
    }
}

/// A search has many batches; they only fill the lanes exactly if time is short.
#[test]
fn more_time_makes_larger_batches() {
    let target = |milliseconds: u64, options: &UctOptions| {
        at_start(Some(Duration::from_millis(milliseconds)), None, options).target(None)
    };
    let uniform = UctOptions::default();
    assert_eq!(target(20, &uniform), BatchSize { leaves: 64, playouts: 8 });
    assert_eq!(target(200, &uniform), BatchSize { leaves: 128, playouts: 8 });
    assert_eq!(target(1000, &uniform), BatchSize { leaves: 512, playouts: 8 });
    assert_eq!(target(5000, &uniform), BatchSize { leaves: 512, playouts: 4 });
    assert_eq!(target(60_000, &uniform), BatchSize { leaves: 512, playouts: 2 });
    // The tighter limit counts.
    let both = |limit| at_start(Some(Duration::from_millis(20)), Some(limit), &uniform).target(None);
    assert_eq!([both(500), both(1 << 40)], [BatchSize { leaves: 10, playouts: 1 }, target(20, &uniform)]);
    // Lane-by-lane policies need not fill the lanes.
    let by_lane = UctOptions { policy: Policy::Nst, ..uniform };
    assert_eq!(target(2, &by_lane), BatchSize { leaves: 64, playouts: 2 });
    assert_eq!(target(10, &by_lane), BatchSize { leaves: 66, playouts: 3 });
    assert_eq!(target(30, &by_lane), BatchSize { leaves: 64, playouts: 8 });
    assert_eq!(target(1000, &by_lane), BatchSize { leaves: 512, playouts: 8 });
}

#[test]
fn a_batch_that_would_miss_the_deadline_is_not_started() {
    let mut sizer = BatchSizer::new(512, 1, &UctOptions::default());
    let now = Instant::now();
    let in_time = |milliseconds| Some(now + Duration::from_millis(milliseconds));
    assert_eq!(sizer.next(now, in_time(5), None), Some(BatchSize { leaves: FIRST_LEAVES, playouts: 1 }));
    record(&mut sizer, BatchSize { leaves: 512, playouts: 8 }, Duration::from_millis(7));
    assert_eq!(sizer.next(now, in_time(5), None), None);
    assert_eq!(sizer.next(now, in_time(50), None), Some(BatchSize { leaves: 512, playouts: 8 }));
}

#[test]
fn batches_grow_to_what_there_is_time_for() {
    let mut sizer = BatchSizer::new(512, 1, &UctOptions::default());
    let now = Instant::now();
    let deadline = Some(now + Duration::from_secs(10));
    sizer.begin(now, deadline, None);
    let mut sizes = Vec::new();
    for _ in 0..8 {
        let size = sizer.next(now, deadline, None).unwrap();
        // 1 ms, and 10 µs per playout.
        record(&mut sizer, size, Duration::from_micros(1000 + 10 * size.total()));
        sizes.push(size.total());
    }
    assert!(sizes.windows(2).all(|pair| pair[1] <= MAX_GROWTH * pair[0]), "{sizes:?}");
    assert_eq!(sizes.last(), Some(&4096));
}

#[test]
fn shorter_deadlines_shrink_batches() {
    let mut sizer = BatchSizer::new(512, 1, &UctOptions::default());
    let now = Instant::now();
    let in_time = |milliseconds| Some(now + Duration::from_millis(milliseconds));
    let takes = |size: BatchSize| Duration::from_micros(1000 + 10 * size.total());
    sizer.begin(now, in_time(10_000), None);
    for _ in 0..8 {
        let size = sizer.next(now, in_time(10_000), None).unwrap();
        record(&mut sizer, size, takes(size));
    }
    // The last batch took 42 ms.
    assert_eq!(sizer.next(now, in_time(10), None), None);
    sizer.begin(now, in_time(10), None);
    let size = sizer.next(now, in_time(10), None).unwrap();
    assert!(takes(size) <= Duration::from_millis(10), "{size:?}");
    // A single disturbance is forgotten.
    record(&mut sizer, BatchSize { leaves: 1, playouts: 1 }, Duration::from_millis(70));
    let searches = (0..9).take_while(|_| {
        sizer.begin(now, in_time(10), None);
        sizer.next(now, in_time(10), None).is_none()
    });
    assert!(searches.count() < 6);
}

#[test]
fn options_override_the_sizer() {
    let options = UctOptions { batch: 1, playouts: 1, ..UctOptions::default() };
    let sizer = at_start(None, Some(1000), &options);
    assert_eq!(sizer.next(Instant::now(), None, Some(1000)), Some(BatchSize { leaves: 1, playouts: 1 }));
}

/// A tree-bound search gets more playouts per leaf, except with a playout limit.
#[test]
fn tree_bound_searches_get_more_playouts_per_leaf() {
    let uniform = UctOptions::default();
    let mut short = at_start(Some(Duration::from_millis(2)), None, &uniform);
    let mut sizer = at_start(Some(Duration::from_millis(60)), None, &uniform);
    assert_eq!(sizer.target(None), BatchSize { leaves: 64, playouts: 8 });
    let batch = BatchSize { leaves: 512, playouts: 1 };
    let all = Duration::from_micros(512);
    let took = |share: f64| BatchTime { all, playouts: all.mul_f64(share), finished: None };
    sizer.record(batch, took(0.2));
    assert_eq!(sizer.target(None), BatchSize { leaves: 128, playouts: 16 });
    // A short search needs many batches.
    short.record(batch, took(0.2));
    assert_eq!(short.target(None).total(), 512);
    // Hysteresis.
    sizer.record(batch, took(0.5));
    assert_eq!(sizer.target(None), BatchSize { leaves: 128, playouts: 16 });
    sizer.record(batch, took(0.7));
    assert_eq!(sizer.target(None), BatchSize { leaves: 64, playouts: 8 });
    let mut sizer = at_start(None, Some(20_000), &uniform);
    let before = sizer.target(None);
    sizer.record(batch, took(0.2));
    assert_eq!(sizer.target(None), before);
}
