//! The memory that the KV cache of a model needs per token.

use std::str::FromStr;

/// The size of the KV cache of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelShape {
    pub layers: u64,
    /// A model that stores keys and values of all key-value heads for each token and layer.
    pub numbers_per_layer: u64,
    pub bytes_per_number: u64,
}

const fn heads(layers: u64, kv_heads: u64, head_dim: u64) -> ModelShape {
    ModelShape { layers, numbers_per_layer: 2 * kv_heads * head_dim, bytes_per_number: 2 }
}

/// A model with latent attention: one compressed vector per token and layer for keys and values.
const fn latent(layers: u64, rank: u64, rope: u64) -> ModelShape {
    ModelShape { layers, numbers_per_layer: rank + rope, bytes_per_number: 2 }
}

/// From the models' published configurations, in 16-bit numbers.
const PRESETS: [(&str, ModelShape); 14] = [
    ("llama-3.1-8b", heads(32, 8, 128)),
    ("llama-3.1-70b", heads(80, 8, 128)),
    ("llama-3.3-70b", heads(80, 8, 128)),
    ("llama-3.1-405b", heads(126, 8, 128)),
    ("mistral-7b", heads(32, 8, 128)),
    ("mixtral-8x7b", heads(32, 8, 128)),
    ("qwen2.5-7b", heads(28, 4, 128)),
    ("qwen2.5-32b", heads(64, 8, 128)),
    ("qwen2.5-72b", heads(80, 8, 128)),
    ("qwen3-8b", heads(36, 8, 128)),
    ("qwen3-32b", heads(64, 8, 128)),
    ("gpt-oss-20b", heads(24, 8, 64)),
    ("gpt-oss-120b", heads(36, 8, 64)),
    ("deepseek-v3", latent(61, 512, 64)),
];

impl ModelShape {
    pub const fn bytes_per_token(self) -> u64 {
        self.layers * self.numbers_per_layer * self.bytes_per_number
    }

    pub fn gib(self, blocks: u64, block_size: u32) -> f64 {
        blocks as f64 * f64::from(block_size) * self.bytes_per_token() as f64 / f64::from(1 << 30)
    }

    /// The names of the known models.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }
}

/// Parses the name of a known model, or `LAYERSxHEADSxDIM` with an optional `xBYTES` for numbers that do not have 2 bytes.
impl FromStr for ModelShape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.to_ascii_lowercase();
        if let Some((_, shape)) = PRESETS.iter().find(|(known, _)| *known == name) {
            return Ok(*shape);
        }
        let numbers: Option<Vec<u64>> =
            name.split('x').map(|part| part.parse().ok().filter(|number| (1..=1 << 20).contains(number))).collect();
        match numbers.as_deref() {
            Some([layers, kv_heads, dim]) => Ok(heads(*layers, *kv_heads, *dim)),
            Some([layers, kv_heads, dim, bytes]) if *bytes <= 16 => {
                Ok(Self { bytes_per_number: *bytes, ..heads(*layers, *kv_heads, *dim) })
            }
            _ => Err(format!(
                "{text:?} is not a model shape: give layers x key-value heads x head dimension, for example 32x8x128 (add x1 \
                 for 1 byte per number), or one of {}",
                Self::names().collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_a_name_or_numbers() {
        let llama: ModelShape = "llama-3.1-8b".parse().unwrap();
        assert_eq!(llama.bytes_per_token(), 131_072);
        assert_eq!("32x8x128".parse::<ModelShape>().unwrap(), llama);
        assert_eq!("32x8x128x1".parse::<ModelShape>().unwrap().bytes_per_token(), 65_536);
        assert!((llama.gib(16, 512) - 1.0).abs() < 1e-12);
        assert!("32x8".parse::<ModelShape>().unwrap_err().contains("32x8x128"));
    }
}
