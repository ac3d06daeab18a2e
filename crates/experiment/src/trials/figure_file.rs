//! Numbers of finished runs in a temporary file without a name, so that the memory of a sweep does not grow with its points.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

const BYTES: usize = size_of::<f64>();

/// The file of one command. The system removes it when the program ends.
#[derive(Debug, Clone)]
pub(crate) struct FigureFile(Arc<Mutex<File>>);

/// Numbers that were set aside.
#[derive(Debug)]
pub(crate) enum StoredNumbers {
    Filed {
        file: FigureFile,
        start: u64,
        count: usize,
    },
    /// Where no file could be opened or written.
    Held(Box<[f64]>),
}

impl FigureFile {
    /// In `folder`, or where temporary files go; `None` if neither can be written.
    pub(crate) fn open(folder: &Path) -> Option<Self> {
        let file = tempfile::tempfile_in(folder).or_else(|_| tempfile::tempfile()).ok()?;
        Some(Self(Arc::new(Mutex::new(file))))
    }

    fn append(&self, numbers: &[f64]) -> io::Result<u64> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let start = file.seek(SeekFrom::End(0))?;
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        file.write_all(&bytes)?;
        Ok(start)
    }

    fn read(&self, start: u64, count: usize) -> io::Result<Vec<f64>> {
        let mut bytes = vec![0; count * BYTES];
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        let (numbers, _) = bytes.as_chunks::<BYTES>();
        Ok(numbers.iter().map(|number| f64::from_le_bytes(*number)).collect())
    }
}

impl StoredNumbers {
    pub(crate) fn new(numbers: Vec<f64>, file: Option<&FigureFile>) -> Self {
        let count = numbers.len();
        match file.map(|file| (file, file.append(&numbers))) {
            Some((file, Ok(start))) => Self::Filed { file: file.clone(), start, count },
            // The disk may be full; what was measured is not lost for that.
            Some((_, Err(_))) | None => Self::Held(numbers.into()),
        }
    }

    /// The numbers, bit by bit as they were.
    pub(crate) fn get(&self) -> io::Result<Vec<f64>> {
        match self {
            Self::Filed { file, start, count } => file.read(*start, *count),
            Self::Held(numbers) => Ok(numbers.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_bit_by_bit_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = FigureFile::open(folder.path()).unwrap();
        let all = [vec![1.0, -0.0, f64::INFINITY, 0.1 + 0.2], Vec::new(), vec![f64::from_bits(7)]];
        let stored = all.clone().map(|numbers| StoredNumbers::new(numbers, Some(&file)));
        assert!(stored.iter().all(|stored| matches!(stored, StoredNumbers::Filed { .. })));
        let bits = |numbers: Vec<f64>| numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        for (stored, numbers) in stored.iter().zip(all).rev() {
            assert_eq!(bits(stored.get().unwrap()), bits(numbers));
        }
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "the file has no name");
    }

    #[test]
    fn without_a_file_numbers_are_held() {
        assert_eq!(StoredNumbers::new(vec![3.5], None).get().unwrap(), [3.5]);
    }
}
