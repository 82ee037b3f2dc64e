//! Memory with machine code in it.

use memmap2::{Mmap, MmapMut};

use crate::run::Lanes;

/// Machine code that reads and writes lanes.
pub(super) struct Executable {
    code: Mmap,
    /// Rows of lanes it may touch.
    rows: usize,
    /// Facts it may touch.
    facts: usize,
    /// Words of a row: other lanes must not be touched.
    words: usize,
}

#[allow(unsafe_code, reason = "running code that was just written is what a JIT is for")]
impl Executable {
    /// Makes code executable; `None` where the system does not allow that.
    pub(super) fn new(code: &EmittedCode) -> Option<Self> {
        let mut memory = MmapMut::map_anon(code.bytes.len().max(1)).ok()?;
        memory.get_mut(..code.bytes.len())?.copy_from_slice(&code.bytes);
        let code = EmittedCode { bytes: Vec::new(), ..*code };
        Some(Self { code: memory.make_exec().ok()?, rows: code.rows, facts: code.facts, words: code.words })
    }

    /// Runs the code on lanes of the width that it was made for. It reads the facts of the current
    /// state and writes those of the other; swapping the two is up to the caller.
    #[inline(always)]
    pub(super) fn run<const W: usize>(&self, lanes: &mut Lanes<W>) {
        if lanes.rows.len() < self.rows {
            lanes.rows.grow(self.rows);
        }
        let state_ends = lanes.state.max(lanes.other) + self.facts;
        let fits = self.words == W && state_ends <= lanes.rows.len() && self.facts <= lanes.start.len();
        debug_assert!(fits, "machine code for other lanes");
        if !fits {
            return;
        }
        let rows = lanes.rows.as_mut_ptr();
        // SAFETY: the memory holds a function of the C convention that was written by `emit` for
        // this processor and this width. It touches `rows` rows, reads `facts` rows from the second
        // pointer on, writes as many from the third, and reads as many from the fourth; all of
        // them lie in `lanes`, as was just checked. It keeps no pointer.
        unsafe {
            let function: extern "C" fn(*mut u64, *const u64, *mut u64, *const u64) =
                std::mem::transmute(self.code.as_ptr());
            let (state, other) = (rows.add(lanes.state), rows.add(lanes.other));
            function(rows.cast(), state.cast(), other.cast(), lanes.start.as_ptr().cast());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.code.len()
    }
}

/// Code that was written, and how far it reaches.
pub(super) struct EmittedCode {
    pub bytes: Vec<u8>,
    pub rows: usize,
    pub facts: usize,
    /// Words of a row.
    pub words: usize,
}
