//! A finite number of pictures, each encoded once for a size and a format, and shared by all turns that have it.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aiperf_config::PictureOrder;
use aiperf_media::{Asset, ImageEncoding, Picture, image_content, is_picture, read_picture};
use aiperf_seed::Stream;

use crate::DatasetError;

/// Prints that are kept. Those beyond are made again when they are needed again.
const MOST_KEPT_BYTES: usize = 512 << 20;
/// How files of pictures end that are not read here: worth a word when they lie in the folder.
const OTHER_PICTURES: [&str; 8] = ["gif", "webp", "bmp", "tif", "tiff", "avif", "heic", "jxl"];

/// A picture at one size, in one format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Print {
    /// Its place in the album.
    pub(super) picture: usize,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) encoding: ImageEncoding,
}

#[derive(Debug)]
pub(super) struct Album {
    pictures: Pictures,
    prints: Mutex<HashMap<Print, Arc<OnceLock<Arc<str>>>>>,
    kept_bytes: AtomicUsize,
    /// Pictures that turned out to be damaged.
    retired: Mutex<BTreeSet<usize>>,
}

#[derive(Debug)]
enum Pictures {
    Assets,
    /// By name; at least one. The first one has been opened.
    Files(Vec<PathBuf>),
}

impl Album {
    pub(super) fn assets() -> Self {
        Self::of(Pictures::Assets)
    }

    /// The PNG and JPEG files right in a folder. Those that cannot be opened are left out with a warning.
    pub(super) fn folder(path: &Path) -> Result<Self, DatasetError> {
        let failed = |reason: String| DatasetError::Pictures { path: path.to_path_buf(), reason };
        let entries = fs::read_dir(path).map_err(|error| failed(error.to_string()))?;
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|file| file.is_file() && looks_like_picture(file))
            .collect();
        files.sort();
        files.retain(|file| match start_of(file) {
            Ok(start) if is_picture(&start) => true,
            Ok(_) => retire(file, "it is neither PNG nor JPEG"),
            Err(reason) => retire(file, &reason),
        });
        while let Some(first) = files.first() {
            match opened(first) {
                Ok(_) => return Ok(Self::of(Pictures::Files(files))),
                Err(reason) => {
                    retire(first, &reason);
                    files.remove(0);
                }
            }
        }
        Err(failed("holds no picture that can be opened".to_owned()))
    }

    fn of(pictures: Pictures) -> Self {
        Self { pictures, prints: Mutex::default(), kept_bytes: AtomicUsize::new(0), retired: Mutex::default() }
    }

    pub(super) fn len(&self) -> usize {
        match &self.pictures {
            Pictures::Assets => Asset::ALL.len(),
            Pictures::Files(files) => files.len(),
        }
    }

    pub(super) fn print(&self, print: Print) -> Arc<str> {
        let mut prints = self.prints.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = match prints.get(&print) {
            Some(kept) => Arc::clone(kept),
            None if self.kept_bytes.load(Ordering::Relaxed) < MOST_KEPT_BYTES => {
                Arc::clone(prints.entry(print).or_default())
            }
            None => Arc::default(),
        };
        drop(prints);
        // Whoever is first makes it; others who want the same one wait for it, and nobody else does.
        let content = kept.get_or_init(|| {
            let content = image_content(print.encoding, &print.encoding.encode(&self.picture(print)));
            self.kept_bytes.fetch_add(content.len(), Ordering::Relaxed);
            content
        });
        Arc::clone(content)
    }

    /// The picture at its size. In place of a damaged one the next by name that can be opened, the same one each time.
    fn picture(&self, Print { picture, width, height, .. }: Print) -> Picture {
        let files = match &self.pictures {
            Pictures::Assets => return Asset::ALL[picture].drawn(width, height),
            Pictures::Files(files) => files,
        };
        for place in (picture..files.len()).chain(0..picture) {
            match opened(&files[place]) {
                Ok(picture) => return picture.resized(width, height),
                Err(reason) => {
                    if self.retired.lock().unwrap_or_else(PoisonError::into_inner).insert(place) {
                        retire(&files[place], &reason);
                    }
                }
            }
        }
        // Only when the whole folder was taken away since the start.
        Asset::ALL[picture % Asset::ALL.len()].drawn(width, height)
    }
}

fn looks_like_picture(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    matches!(&*ending, "png" | "jpg" | "jpeg") || OTHER_PICTURES.contains(&&*ending)
}

fn start_of(file: &Path) -> Result<Vec<u8>, String> {
    let mut start = Vec::new();
    let opened = File::open(file).map_err(|error| error.to_string())?;
    opened.take(8).read_to_end(&mut start).map_err(|error| error.to_string())?;
    Ok(start)
}

fn opened(file: &Path) -> Result<Picture, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    read_picture(&bytes).map_err(|error| error.to_string())
}

/// Says why a picture is left out; `false`, for what is kept.
fn retire(file: &Path, reason: &str) -> bool {
    log::warn!("--image-source: {} is left out: {reason}", file.display());
    false
}

/// The order in which pictures are taken.
#[derive(Debug)]
pub(super) struct Draw {
    order: PictureOrder,
    stream: Stream,
    places: Vec<usize>,
    next: usize,
}

impl Draw {
    /// From an album of `len` pictures, at least one.
    pub(super) fn new(order: PictureOrder, len: usize, stream: Stream) -> Self {
        Self { order, stream, places: (0..len).collect(), next: 0 }
    }

    pub(super) fn next(&mut self) -> usize {
        if self.order == PictureOrder::RandomWithReplacement {
            return self.stream.below(self.places.len() as u64) as usize;
        }
        if self.order == PictureOrder::ShuffleCycle && self.next == 0 {
            self.stream.shuffle(&mut self.places);
        }
        let place = self.places[self.next];
        self.next = (self.next + 1) % self.places.len();
        place
    }
}
