//! A finite set of pictures. Each is encoded once per size and format and shared by all turns that use it.

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

/// Encoded pictures beyond this are not kept, and are encoded again each time they are needed.
const MOST_KEPT_BYTES: usize = 512 << 20;
/// Extensions of image files that cannot be read; a warning names such files in the folder.
const OTHER_PICTURES: [&str; 8] = ["gif", "webp", "bmp", "tif", "tiff", "avif", "heic", "jxl"];

/// A picture at one size, in one format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PictureVariant {
    /// The index in the pool.
    pub(super) picture: usize,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) encoding: ImageEncoding,
}

#[derive(Debug)]
pub(super) struct PicturePool {
    pictures: Pictures,
    variants: Mutex<HashMap<PictureVariant, Arc<OnceLock<Arc<str>>>>>,
    kept_bytes: AtomicUsize,
    /// Indexes of pictures that turned out to be damaged.
    damaged: Mutex<BTreeSet<usize>>,
}

#[derive(Debug)]
enum Pictures {
    Assets,
    /// Sorted by name; at least one. The first has been opened successfully.
    Files(Vec<PathBuf>),
}

impl PicturePool {
    pub(super) fn assets() -> Self {
        Self::of(Pictures::Assets)
    }

    /// The PNG and JPEG files directly in a folder. Those that cannot be opened are left out with a warning.
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
            Ok(_) => warn_left_out(file, "it is neither PNG nor JPEG"),
            Err(reason) => warn_left_out(file, &reason),
        });
        while let Some(first) = files.first() {
            match opened(first) {
                Ok(_) => return Ok(Self::of(Pictures::Files(files))),
                Err(reason) => {
                    warn_left_out(first, &reason);
                    files.remove(0);
                }
            }
        }
        Err(failed("contains no image that can be opened".to_owned()))
    }

    fn of(pictures: Pictures) -> Self {
        Self { pictures, variants: Mutex::default(), kept_bytes: AtomicUsize::new(0), damaged: Mutex::default() }
    }

    pub(super) fn len(&self) -> usize {
        match &self.pictures {
            Pictures::Assets => Asset::ALL.len(),
            Pictures::Files(files) => files.len(),
        }
    }

    pub(super) fn render(&self, render: PictureVariant) -> Arc<str> {
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = match variants.get(&render) {
            Some(kept) => Arc::clone(kept),
            None if self.kept_bytes.load(Ordering::Relaxed) < MOST_KEPT_BYTES => {
                Arc::clone(variants.entry(render).or_default())
            }
            None => Arc::default(),
        };
        drop(variants);
        // The first thread encodes it; others that need the same one wait for it.
        let content = kept.get_or_init(|| {
            let content = image_content(render.encoding, &render.encoding.encode(&self.picture(render)));
            self.kept_bytes.fetch_add(content.len(), Ordering::Relaxed);
            content
        });
        Arc::clone(content)
    }

    /// The picture at its size. A damaged one is always replaced by the next by name that can be opened.
    fn picture(&self, PictureVariant { picture, width, height, .. }: PictureVariant) -> Picture {
        let files = match &self.pictures {
            Pictures::Assets => return Asset::ALL[picture].drawn(width, height),
            Pictures::Files(files) => files,
        };
        for place in (picture..files.len()).chain(0..picture) {
            match opened(&files[place]) {
                Ok(picture) => return picture.resized(width, height),
                Err(reason) => {
                    if self.damaged.lock().unwrap_or_else(PoisonError::into_inner).insert(place) {
                        warn_left_out(&files[place], &reason);
                    }
                }
            }
        }
        // Happens only if the whole folder was removed after the start.
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

/// Logs why a picture is left out. Returns `false`, for use in `retain`.
fn warn_left_out(file: &Path, reason: &str) -> bool {
    log::warn!("--image-source: {} is left out: {reason}", file.display());
    false
}

/// Draws pictures in the configured order.
#[derive(Debug)]
pub(super) struct PictureSampler {
    order: PictureOrder,
    stream: Stream,
    places: Vec<usize>,
    next: usize,
}

impl PictureSampler {
    /// Draws from a pool of `len` pictures, at least one.
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
