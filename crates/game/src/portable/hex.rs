//! Hashes and bits as hexadecimal text.

use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};

/// A hash of rules or of a model: 16 hexadecimal digits as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(pub u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<Fingerprint> for String {
    fn from(hash: Fingerprint) -> String {
        hash.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("not 16 hexadecimal digits: {text}");
        let bytes = bytes(&text).ok_or_else(wrong)?;
        let bytes: [u8; 8] = bytes.try_into().map_err(|_| wrong())?;
        Ok(Self(u64::from_be_bytes(bytes)))
    }
}

/// Bits in bytes; two hexadecimal digits a byte as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bits(pub Vec<u8>);

impl Bits {
    /// So many bits, all 0.
    pub fn zeros(count: usize) -> Self {
        Self(vec![0; count.div_ceil(8)])
    }

    /// Sets a bit; one that is not there stays so.
    pub fn set(&mut self, at: usize) {
        if let Some(byte) = self.0.get_mut(at / 8) {
            *byte |= 1 << (at % 8);
        }
    }

    /// The places of bits that are 1.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() * 8).filter(|&at| self.0[at / 8] >> (at % 8) & 1 == 1)
    }
}

impl From<Bits> for String {
    fn from(bits: Bits) -> String {
        let mut text = String::with_capacity(2 * bits.0.len());
        for byte in bits.0 {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl TryFrom<String> for Bits {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        bytes(&text).map(Self).ok_or_else(|| "not hexadecimal digits in pairs".to_owned())
    }
}

/// The bytes of a text of hexadecimal digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}
