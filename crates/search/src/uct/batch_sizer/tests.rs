//! Tests of [`super::BatchSizer`].

use super::super::options::Policy;
use super::*;

/// A batch of which playouts took most of the time.
fn record(sizer: &mut BatchSizer, size: BatchSize, time: Duration) {
    let playouts = time.mul_f64(0.8);
    sizer.record(size, BatchTime { all: time, playouts, finished: None });
}

/// As a thought of this time and this many playouts begins, where playouts take a microsecond each.
fn thinking(time: Option<Duration>, limit: Option<u64>, options: &UctOptions) -> BatchSizer {
    let mut sizer = BatchSizer::new(512, 1, options);
    record(&mut sizer, BatchSize { leaves: 512, playouts: 1 }, Duration::from_micros(512));
    let now = Instant::now();
    sizer.begin(now, time.map(|time| now + time), limit);
    sizer
}

#[test]
fn limits_in_playouts_are_kept_and_do_not_look_at_the_clock() {
    for limit in [1, 7, 500, 10_000] {
        let sizer = thinking(None, Some(limit), &UctOptions::default());
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

/// A thought has many batches; only where time is short their size is what fits into the lanes.
#[test]
fn more_time_makes_larger_batches() {
    let target = |milliseconds: u64, options: &UctOptions| {
        thinking(Some(Duration::from_millis(milliseconds)), None, options).target(None)
    };
    let uniform = UctOptions::default();
    assert_eq!(target(20, &uniform), BatchSize { leaves: 64, playouts: 8 });
    assert_eq!(target(200, &uniform), BatchSize { leaves: 128, playouts: 8 });
    assert_eq!(target(1000, &uniform), BatchSize { leaves: 512, playouts: 8 });
    assert_eq!(target(5000, &uniform), BatchSize { leaves: 512, playouts: 4 });
    assert_eq!(target(60_000, &uniform), BatchSize { leaves: 512, playouts: 2 });
    // Whichever comes to its end first.
    let both = |limit| thinking(Some(Duration::from_millis(20)), Some(limit), &uniform).target(None);
    assert_eq!([both(500), both(1 << 40)], [BatchSize { leaves: 10, playouts: 1 }, target(20, &uniform)]);
    // Who looks at single lanes need not fill them.
    let by_lane = UctOptions { policy: Policy::Nst, ..uniform };
    assert_eq!(target(2, &by_lane), BatchSize { leaves: 64, playouts: 2 });
    assert_eq!(target(10, &by_lane), BatchSize { leaves: 66, playouts: 3 });
    assert_eq!(target(30, &by_lane), BatchSize { leaves: 64, playouts: 8 });
    assert_eq!(target(1000, &by_lane), BatchSize { leaves: 512, playouts: 8 });
}

#[test]
fn a_batch_that_would_be_late_is_not_begun() {
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
        // A millisecond, and a hundredth of one for every playout.
        record(&mut sizer, size, Duration::from_micros(1000 + 10 * size.total()));
        sizes.push(size.total());
    }
    assert!(sizes.windows(2).all(|pair| pair[1] <= MAX_GROWTH * pair[0]), "{sizes:?}");
    assert_eq!(sizes.last(), Some(&4096));
}

#[test]
fn less_time_than_before_is_used_too() {
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
    // One disturbance is not remembered for good.
    record(&mut sizer, BatchSize { leaves: 1, playouts: 1 }, Duration::from_millis(70));
    let thoughts = (0..9).take_while(|_| {
        sizer.begin(now, in_time(10), None);
        sizer.next(now, in_time(10), None).is_none()
    });
    assert!(thoughts.count() < 6);
}

#[test]
fn what_is_set_is_taken() {
    let options = UctOptions { batch: 1, playouts: 1, ..UctOptions::default() };
    let sizer = thinking(None, Some(1000), &options);
    assert_eq!(sizer.next(Instant::now(), None, Some(1000)), Some(BatchSize { leaves: 1, playouts: 1 }));
}

/// Where playouts have a small part of the time, there are more of them; but not where their number is given.
#[test]
fn leaves_get_more_playouts_where_the_tree_takes_the_time() {
    let uniform = UctOptions::default();
    let mut short = thinking(Some(Duration::from_millis(2)), None, &uniform);
    let mut sizer = thinking(Some(Duration::from_millis(60)), None, &uniform);
    assert_eq!(sizer.target(None), BatchSize { leaves: 64, playouts: 8 });
    let batch = BatchSize { leaves: 512, playouts: 1 };
    let all = Duration::from_micros(512);
    let took = |share: f64| BatchTime { all, playouts: all.mul_f64(share), finished: None };
    sizer.record(batch, took(0.2));
    assert_eq!(sizer.target(None), BatchSize { leaves: 128, playouts: 16 });
    // A short thought needs its batches.
    short.record(batch, took(0.2));
    assert_eq!(short.target(None).total(), 512);
    // Not at once the other way.
    sizer.record(batch, took(0.5));
    assert_eq!(sizer.target(None), BatchSize { leaves: 128, playouts: 16 });
    sizer.record(batch, took(0.7));
    assert_eq!(sizer.target(None), BatchSize { leaves: 64, playouts: 8 });
    let mut sizer = thinking(None, Some(20_000), &uniform);
    let before = sizer.target(None);
    sizer.record(batch, took(0.2));
    assert_eq!(sizer.target(None), before);
}
