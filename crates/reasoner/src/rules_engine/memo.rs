//! Memo: the calls of a plan and their answers.
//!
//! Calls and answers keep their numbers over states; whether one counts now is a matter of its
//! stamp.

use super::code::CallPlan;
use super::keys::{Keys, NONE, place};

/// How far a call has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallStatus {
    /// Being answered.
    Open,
    /// Answered as far as possible while another call, on which it depends, is open.
    Partial,
    /// All answers are known.
    Complete,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoEntry {
    /// When it was made; of no meaning at another time.
    pub time: u32,
    /// How far it has got.
    pub status: CallStatus,
    /// An answer was found.
    pub holds: bool,
    /// The first answer, or [`NONE`].
    pub first: u32,
    /// The last answer.
    pub last: u32,
    /// The frame that answers it while it is open; the round it was answered in while it is
    /// partial.
    pub mark: u32,
    /// The frame that it depends on while it is partial.
    pub depends: u32,
}

const NEVER: MemoEntry = MemoEntry {
    time: 0,
    status: CallStatus::Complete,
    holds: false,
    first: NONE,
    last: NONE,
    mark: 0,
    depends: NONE,
};

/// The calls of a plan.
#[derive(Debug, Default)]
pub(super) struct Memo {
    calls: Keys,
    entries: Vec<MemoEntry>,
    /// Tuples of call and values, or of values alone if there is but one call.
    answers: Keys,
    times: Vec<u32>,
    next: Vec<u32>,
    /// Columns of an answer before the values.
    skip: usize,
    /// When all calls were answered together.
    pub filled: u32,
}

impl Memo {
    /// For the calls of this plan.
    pub(super) fn new(plan: &CallPlan) -> Self {
        let skip = usize::from(plan.given > 0);
        Self { calls: Keys::new(plan.given), answers: Keys::new(skip + plan.asked), skip, ..Self::default() }
    }

    /// The number of a call.
    #[inline]
    pub(super) fn call(&mut self, arguments: &[u32]) -> u32 {
        let number = self.calls.intern(arguments);
        place(&mut self.entries, number, NEVER);
        number
    }

    /// The number of a call that has been made before, or [`NONE`].
    #[inline]
    pub(super) fn find(&self, arguments: &[u32]) -> u32 {
        self.calls.find(arguments)
    }

    /// The call with a number; one that is not known has no answers.
    #[inline]
    pub(super) fn entry(&self, call: u32) -> &MemoEntry {
        self.entries.get(call as usize).unwrap_or(&NEVER)
    }

    /// The call with a number, to change.
    #[inline]
    pub(super) fn entry_mut(&mut self, call: u32) -> &mut MemoEntry {
        &mut self.entries[call as usize]
    }

    /// Starts to answer a call.
    #[inline]
    pub(super) fn open(&mut self, call: u32, time: u32, frame: u32) {
        let entry = &mut self.entries[call as usize];
        if entry.time == time {
            // Runs again, with the answers found so far.
            entry.status = CallStatus::Open;
            entry.mark = frame;
        } else {
            *entry = MemoEntry { time, status: CallStatus::Open, mark: frame, ..NEVER };
        }
    }

    /// Adds an answer, given as the call (if the plan has several) and the values. Whether it is
    /// new.
    #[inline]
    pub(super) fn answer(&mut self, call: u32, key: &[u32], time: u32) -> bool {
        let number = self.answers.intern(key);
        let known = place(&mut self.times, number, 0);
        if std::mem::replace(known, time) == time {
            return false;
        }
        *place(&mut self.next, number, NONE) = NONE;
        let entry = &mut self.entries[call as usize];
        match entry.first {
            NONE => entry.first = number,
            _ => self.next[entry.last as usize] = number,
        }
        entry.last = number;
        entry.holds = true;
        true
    }

    /// The answer after this one, or [`NONE`].
    #[inline]
    pub(super) fn after(&self, answer: u32) -> u32 {
        self.next[answer as usize]
    }

    /// A value of an answer.
    #[inline]
    pub(super) fn value(&self, answer: u32, position: usize) -> u32 {
        self.answers.value(answer, self.skip + position)
    }

    /// The values of an answer.
    #[inline]
    pub(super) fn values<'a>(&'a self, answer: &'a u32, count: usize) -> &'a [u32] {
        &self.answers.tuple(answer)[self.skip..self.skip + count]
    }

    /// Columns of an answer before the values: the call, if there are several.
    #[inline]
    pub(super) fn skip(&self) -> usize {
        self.skip
    }

    /// How many calls and answers are kept.
    pub(super) fn size(&self) -> usize {
        self.calls.len() + self.answers.len()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.calls.clear();
        self.answers.clear();
        self.entries.clear();
        self.times.clear();
        self.next.clear();
        self.filled = 0;
    }
}
