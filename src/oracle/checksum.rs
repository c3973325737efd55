//! The checksum at the end of a Syzygy file: the last 16 bytes, over all that stands before them.
//!
//! The data is cut into chunks of 16 MiB; each is hashed to 32 bytes by CityHashCrc256, and these
//! together to 16 by CityHashCrc128, both of CityHash 1.0. The CRC is Castagnoli's, computed from
//! tables, so that no instruction of some processors is needed. About 1 GB a second.
//!
//! # References
//! * R. de Man, *tb* (generator of Syzygy tables): every file ends with this checksum.
//! * G. Pike, J. Alakuijala, *CityHash*, 2011.
//! * G. Castagnoli, S. Bräuer, M. Herrmann, *Optimization of cyclic redundancy-check codes with 24
//!   and 32 parity bits*, 1993.

use std::io::{self, Read};

/// Bytes of a chunk.
const CHUNK: usize = 1 << 24;

/// Odd multipliers of CityHash.
const K: [u64; 4] =
    [0xc3a5_c85c_97cb_3127, 0xb492_b66f_be98_f273, 0x9ae1_6a3b_2f90_404f, 0xc949_d7c7_509e_6557];

/// The checksum of `length` bytes that `data` gives, in the order in which it stands in a file.
///
/// # Errors
/// The reader's, an early end included.
pub(super) fn checksum(data: &mut impl Read, length: u64) -> io::Result<[u8; 16]> {
    let (mut left, mut digests, mut chunk) = (length, Vec::new(), Vec::new());
    while left > 0 {
        chunk.resize(left.min(CHUNK as u64) as usize, 0);
        data.read_exact(&mut chunk)?;
        left -= chunk.len() as u64;
        digests.extend(crc256(&chunk).into_iter().flat_map(u64::to_le_bytes));
    }
    let [low, high] = crc128(&digests);
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&low.to_le_bytes());
    bytes[8..].copy_from_slice(&high.to_le_bytes());
    Ok(bytes)
}

/// By place of a byte in a word and its value: what it adds to the CRC.
static CRC: [[u32; 256]; 8] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut place = 8;
        while place > 0 {
            place -= 1;
            let mut bit = 0;
            while bit < 8 {
                crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
                bit += 1;
            }
            tables[place][byte] = crc;
        }
        byte += 1;
    }
    tables
}

/// The CRC after a word, without complements.
fn crc(crc: u64, word: u64) -> u64 {
    let bytes = (word ^ crc).to_le_bytes();
    let parts = CRC.iter().zip(bytes);
    u64::from(parts.fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)]))
}

fn word(data: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(data[at..at + 8].try_into().expect("eight bytes"))
}

fn shift_mix(x: u64) -> u64 {
    x ^ x >> 47
}

/// Two words to one.
fn mix(low: u64, high: u64) -> u64 {
    const BY: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = shift_mix((low ^ high).wrapping_mul(BY));
    shift_mix((high ^ a).wrapping_mul(BY)).wrapping_mul(BY)
}

/// The state of the 256-bit hash.
struct Crc256 {
    words: [u64; 5],
    carry: u64,
    crcs: [u64; 5],
}

impl Crc256 {
    /// Takes 40 bytes in.
    fn take(&mut self, data: &[u8], odd: bool) {
        let (by, z) = if odd { (1, 1) } else { (K[0], 0) };
        let [a, b, c, d, e] = self.words;
        let turned = [(b, 41), (c, 27), (d, 41), (e, 33), (self.carry, 25)];
        self.carry = a;
        for (i, (x, turn)) in turned.into_iter().enumerate() {
            let new = x.rotate_right(turn ^ z).wrapping_mul(by).wrapping_add(word(data, 8 * i));
            self.words[i] = new;
            self.crcs[i] = crc(self.crcs[i], new);
        }
    }
}

/// Four words of the hash of any number of bytes.
fn crc256(data: &[u8]) -> [u64; 4] {
    if data.len() >= 240 {
        return crc256_seeded(data, 0);
    }
    let mut padded = [0; 240];
    padded[..data.len()].copy_from_slice(data);
    crc256_seeded(&padded, u64::from(!(data.len() as u32)))
}

fn crc256_seeded(data: &[u8], seed: u64) -> [u64; 4] {
    let length = data.len() as u64;
    let b = word(data, 96).wrapping_add(K[0]);
    let first = mix(b, length);
    let second = word(data, 120).wrapping_mul(K[0]).wrapping_add(length);
    let mut state = Crc256 {
        words: [
            word(data, 56).wrapping_add(K[0]),
            b,
            first,
            second,
            word(data, 184).wrapping_add(seed),
        ],
        carry: first.wrapping_add(second),
        crcs: [seed, 0, 0, 0, 0],
    };
    let rounds = data.len() / 240 * 240;
    for at in (0..rounds).step_by(80) {
        state.take(&data[at..], true);
        state.take(&data[at + 40..], false);
    }
    let rest = data[rounds..].len();
    for at in (0..rest / 40).map(|n| rounds + 40 * n) {
        state.take(&data[at..], false);
    }
    if !rest.is_multiple_of(40) {
        state.take(&data[data.len() - 40..], false);
    }
    finish(state, first, second)
}

fn finish(state: Crc256, first: u64, second: u64) -> [u64; 4] {
    let Crc256 { words: [a, b, c, d, e], carry, crcs: [f, g, h, i, j] } = state;
    let sum = u64::wrapping_add;
    let j = sum(j, i << 32);
    let a = mix(a, j);
    let h = sum(h, g << 32);
    let b = sum(b, h);
    let c = sum(mix(c, f), i);
    let d = mix(d, sum(e, first));
    let j = sum(j, e);
    let i = sum(i, mix(h, carry));
    let e = sum(mix(a, d), j);
    let f = sum(mix(b, c), a);
    let g = sum(mix(j, i), c);
    let first = sum(sum(e, f), sum(g, h));
    let stir = |x: u64| shift_mix(x.wrapping_mul(K[0])).wrapping_mul(K[0]);
    let a = sum(stir(sum(a, g)), b);
    let second = sum(second, sum(a, first));
    let a = sum(stir(a), c);
    let third = sum(a, second);
    [first, second, third, sum(stir(sum(a, e)), third)]
}

/// Two words of the hash of at least 32 bytes, a multiple of 32.
fn crc128(data: &[u8]) -> [u64; 2] {
    if data.len() > 900 {
        let [.., low, high] = crc256(data);
        return [low, high];
    }
    if data.is_empty() {
        return [0; 2];
    }
    let seed = [word(data, 0) ^ K[3], word(data, 8)];
    let rest = &data[16..];
    if rest.len() < 128 { murmur(rest, seed) } else { city128(rest, seed) }
}

/// The hash of 16 to 127 bytes, a multiple of 16, from a seed.
fn murmur(data: &[u8], [mut a, mut b]: [u64; 2]) -> [u64; 2] {
    let length = data.len();
    let (mut c, mut d);
    if length == 16 {
        a = shift_mix(a.wrapping_mul(K[1])).wrapping_mul(K[1]);
        let (head, tail) = (word(data, 0), word(data, 8));
        let short = mix(head, tail.wrapping_add(16).rotate_right(16)) ^ tail;
        c = b.wrapping_mul(K[1]).wrapping_add(short);
        d = shift_mix(a.wrapping_add(head));
    } else {
        c = mix(word(data, length - 8).wrapping_add(K[1]), a);
        d = mix(b.wrapping_add(length as u64), c.wrapping_add(word(data, length - 16)));
        a = a.wrapping_add(d);
        let stir = |x: u64| shift_mix(x.wrapping_mul(K[1])).wrapping_mul(K[1]);
        for at in (0..length - 16).step_by(16) {
            a = (a ^ stir(word(data, at))).wrapping_mul(K[1]);
            b ^= a;
            c = (c ^ stir(word(data, at + 8))).wrapping_mul(K[1]);
            d ^= c;
        }
    }
    a = mix(a, c);
    b = mix(d, b);
    [a ^ b, mix(b, a)]
}

/// 48 bytes to 16, weakly.
fn weak(data: &[u8], a: u64, b: u64) -> [u64; 2] {
    let [w, x, y, z] = [0, 8, 16, 24].map(|at| word(data, at));
    let start = a.wrapping_add(w);
    let b = b.wrapping_add(start).wrapping_add(z).rotate_right(21);
    let a = start.wrapping_add(x).wrapping_add(y);
    let b = b.wrapping_add(a.rotate_right(44));
    [a.wrapping_add(z), b.wrapping_add(start)]
}

/// The state of the hash of long data.
struct City {
    v: [u64; 2],
    w: [u64; 2],
    x: u64,
    y: u64,
    z: u64,
}

impl City {
    /// Takes 64 bytes in.
    fn take(&mut self, data: &[u8]) {
        let sum = u64::wrapping_add;
        let City { v, w, x, y, z } = self;
        *x = sum(sum(*x, *y), sum(v[0], word(data, 8))).rotate_right(37).wrapping_mul(K[1]);
        *y = sum(sum(*y, v[1]), word(data, 48)).rotate_right(42).wrapping_mul(K[1]);
        *x ^= w[1];
        *y = sum(*y, sum(v[0], word(data, 40)));
        *z = sum(*z, w[0]).rotate_right(33).wrapping_mul(K[1]);
        *v = weak(data, v[1].wrapping_mul(K[1]), sum(*x, w[0]));
        *w = weak(&data[32..], sum(*z, w[1]), sum(*y, word(data, 16)));
        std::mem::swap(x, z);
    }
}

/// The hash of at least 128 bytes from a seed.
fn city128(data: &[u8], [x, y]: [u64; 2]) -> [u64; 2] {
    let sum = u64::wrapping_add;
    let z = (data.len() as u64).wrapping_mul(K[1]);
    let v0 = sum((y ^ K[1]).rotate_right(49).wrapping_mul(K[1]), word(data, 0));
    let v1 = sum(v0.rotate_right(42).wrapping_mul(K[1]), word(data, 8));
    let w0 = sum(sum(y, z).rotate_right(35).wrapping_mul(K[1]), x);
    let w1 = sum(x, word(data, 88)).rotate_right(53).wrapping_mul(K[1]);
    let mut state = City { v: [v0, v1], w: [w0, w1], x, y, z };
    let whole = data.len() / 128 * 128;
    for at in (0..whole).step_by(64) {
        state.take(&data[at..]);
    }
    let City { mut v, mut w, mut x, mut y, mut z } = state;
    x = sum(x, sum(v[0], z).rotate_right(49).wrapping_mul(K[0]));
    z = sum(z, w[0].rotate_right(37).wrapping_mul(K[0]));
    let rest = data.len() - whole;
    for done in (32..rest + 32).step_by(32) {
        let tail = &data[data.len() - done..];
        y = sum(sum(x, y).rotate_right(42).wrapping_mul(K[0]), v[1]);
        w[0] = sum(w[0], word(tail, 16));
        x = sum(x.wrapping_mul(K[0]), w[0]);
        z = sum(z, sum(w[1], word(tail, 0)));
        w[1] = sum(w[1], v[0]);
        v = weak(tail, sum(v[0], z), v[1]);
    }
    let x = mix(x, v[0]);
    let y = mix(sum(y, z), w[0]);
    [sum(mix(sum(x, v[1]), w[1]), y), mix(sum(x, w[1]), sum(y, v[1]))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn digests_of_many_chunks_hash_as_in_the_reference() {
        // Computed with the reference implementation; the lengths take every way through it.
        let data: Vec<u8> = (0..1024_u32).map(|i| (i * i * 7 + i * 13 + 5) as u8).collect();
        let expected = [
            (1, [0x3bbd_a4be_3464_6ca7, 0x929d_f840_ec94_2787]),
            (2, [0xe722_9ac2_de2c_5007, 0x4cf7_9ade_2076_8c8a]),
            (3, [0x3ad7_7bdb_65b8_2d0d, 0xd2e1_a5d4_127e_cbb0]),
            (4, [0x855d_7969_2bba_1949, 0xd9ad_c9ad_5b32_4e4f]),
            (5, [0x1e54_ac77_e110_2f0e, 0xeca7_8a56_2931_5061]),
            (6, [0x9662_ed28_f2ca_6ce4, 0x5edb_0172_881a_84a8]),
            (8, [0xbf94_51de_cbfb_5a2b, 0x44b1_2c5c_eb7d_6e05]),
            (27, [0x1740_64da_74cc_438c, 0x5956_b8db_f43b_4814]),
            (28, [0xbdd7_c165_02ad_cbfc, 0xd377_d28a_804a_f660]),
        ];
        for (chunks, digest) in expected {
            assert_eq!(crc128(&data[..32 * chunks]), digest, "{chunks} chunks");
        }
    }
}
