//! Truth tables of functions of three inputs: bit `a·4 + b·2 + c` is the value for a, b, c.

use crate::run::Mix;

/// The table of a mix.
pub(super) fn table(mix: Mix) -> u32 {
    match mix {
        Mix::Xor => 0b0011_1100,
        Mix::Xor3 => 0b1001_0110,
        Mix::Carry => 0b1110_1000,
        Mix::Borrow => 0b1000_1110,
        Mix::XorAndNot => 0b1011_0100,
    }
}

/// The table of the same function with its inputs in another order: the input `order[0]` comes
/// first.
pub(super) fn permuted(table: u32, order: [usize; 3]) -> u32 {
    let mut result = 0;
    for index in 0..8u32 {
        // The bit of the first input is the highest.
        let mut original = 0;
        for (place, &input) in order.iter().enumerate() {
            original |= (index >> (2 - place) & 1) << (2 - input);
        }
        result |= (table >> original & 1) << index;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_say_what_the_functions_are() {
        for index in 0..8u32 {
            let (a, b, c) = (index >> 2 & 1, index >> 1 & 1, index & 1);
            let value = |mix| table(mix) >> index & 1;
            assert_eq!(value(Mix::Xor), a ^ b);
            assert_eq!(value(Mix::Xor3), a ^ b ^ c);
            assert_eq!(value(Mix::Carry), (a + b + c) / 2);
            assert_eq!(value(Mix::Borrow), u32::from(a < b + c));
            assert_eq!(value(Mix::XorAndNot), a ^ (b & (1 - c)));
        }
    }

    #[test]
    fn permuting_moves_the_inputs() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let moved = permuted(table(Mix::Borrow), order);
            for index in 0..8u32 {
                let inputs = [index >> 2 & 1, index >> 1 & 1, index & 1];
                let mut abc = [0; 3];
                order.iter().zip(inputs).for_each(|(&to, value)| abc[to] = value);
                assert_eq!(moved >> index & 1, u32::from(abc[0] < abc[1] + abc[2]), "{order:?}");
            }
        }
    }
}
