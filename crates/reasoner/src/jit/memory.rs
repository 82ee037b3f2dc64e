//! Memory with machine code in it.

use memmap2::{Mmap, MmapMut};

use crate::run::Lanes;

/// Machine code that reads and writes lanes.
pub(super) struct Executable {
    code: Mmap,
    /// Slots of lanes it may touch.
    slots: usize,
    /// Words of a slot: other lanes must not be touched.
    words: usize,
}

#[allow(unsafe_code, reason = "running code that was just written is what a JIT is for")]
impl Executable {
    /// Makes code executable; `None` where the system does not allow that.
    pub(super) fn new(code: &EmittedCode) -> Option<Self> {
        let mut memory = MmapMut::map_anon(code.bytes.len().max(1)).ok()?;
        memory.get_mut(..code.bytes.len())?.copy_from_slice(&code.bytes);
        Some(Self { code: memory.make_exec().ok()?, slots: code.slots, words: code.words })
    }

    /// Runs the code on lanes of the width that it was made for.
    #[inline(always)]
    pub(super) fn run<const W: usize>(&self, lanes: &mut Lanes<W>) {
        let fits = self.words == W && self.slots <= lanes.rows.len();
        debug_assert!(fits, "machine code for other lanes");
        if !fits {
            return;
        }
        // SAFETY: the memory holds a function of the C convention that was written by `emit` for
        // this processor and this width. It touches slots below `slots` only, all of which lie in
        // `lanes`, takes no other argument and keeps no pointer.
        unsafe {
            let function: extern "C" fn(*mut u64) = std::mem::transmute(self.code.as_ptr());
            function(lanes.rows.as_mut_ptr().cast());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.code.len()
    }
}

/// Code that was written, and how far it reaches.
pub(super) struct EmittedCode {
    pub bytes: Vec<u8>,
    pub slots: usize,
    /// Words of a slot.
    pub words: usize,
}
