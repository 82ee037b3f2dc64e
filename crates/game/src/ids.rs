//! Small numbers for roles, moves and facts. They belong to the game that gave them out.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id with this index.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A role, in the order of the rule sheet.
    RoleId
}
id! {
    /// A move: the term in `(legal role term)`, whichever role may make it.
    MoveId
}
id! {
    /// A fact that a state may hold: the term in `(true term)`.
    FactId
}
