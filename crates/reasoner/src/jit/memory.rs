//! Memory with machine code in it.

use memmap2::{Mmap, MmapMut};

use crate::run::Lanes;

/// What [`super::emit`] writes: a function of the System V convention on every system, also where C has
/// another one (Windows). It takes the rows, the facts of the current state, those of the next, and those of the start.
#[cfg(target_arch = "x86_64")]
type Function = unsafe extern "sysv64" fn(*mut u64, *const u64, *mut u64, *const u64);

/// Other processors have no instruction set to emit for ([`super::Isa::for_words`]), so this is never called.
#[cfg(not(target_arch = "x86_64"))]
type Function = unsafe extern "C" fn(*mut u64, *const u64, *mut u64, *const u64);

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
    ///
    /// # Panics
    /// If the lanes have another width or too few facts.
    #[inline(always)]
    pub(super) fn run<const W: usize>(&self, lanes: &mut Lanes<W>) {
        if lanes.rows.len() < self.rows {
            lanes.rows.grow(self.rows);
        }
        let state_ends = lanes.state.max(lanes.other) + self.facts;
        let fits = self.words == W && state_ends <= lanes.rows.len() && self.facts <= lanes.start.len();
        // A step that is not made would be a wrong answer: the callers size the lanes.
        assert!(fits, "machine code for lanes of another width or size");
        let rows = lanes.rows.as_mut_ptr();
        // SAFETY: the memory holds a function of the System V convention that was written by `emit` for
        // this processor and this width. It touches `rows` rows, reads `facts` rows from the second
        // pointer on, writes as many from the third, and reads as many from the fourth; all of
        // them lie in `lanes`, as was just checked. It keeps no pointer.
        unsafe {
            let function: Function = std::mem::transmute(self.code.as_ptr());
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
