//! `random_pool`: contents to draw from, with replacement. A file is one pool, and each of its rows one request; a folder has
//! one pool per file, and a request combines a row of each. With batch sizes, contents are drawn one by one instead.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_config::{BatchSizes, PoolDraws};
use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, Turn};
use aiperf_seed::{Seed, Stream};

use super::fields::JsonFields;
use super::input_data::{InputData, LoadedFile, ReadContext};
use super::media::MediaFiles;
use super::{folder, lines, row};
use crate::DatasetError;
use crate::session_names::SessionNames;

/// The rows of one file; at least one.
#[derive(Debug)]
struct Pool {
    path: PathBuf,
    rows: Vec<Turn>,
}

pub(crate) fn conversations(
    input: &InputData,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let PoolDraws { entries, batch } = reading.source.draws;
    let mut stream = reading.seed.stream("dataset.loader.random_pool");
    let turns = match input {
        InputData::File(document) => {
            let Some(pool) = read(document, None, reading)? else { return Ok(Vec::new()) };
            if batch == BatchSizes::default() {
                (0..entries).map(|_| choose(&mut stream, &pool.rows).clone()).collect()
            } else {
                batches(&pool, batch, entries, &mut stream, &reading.media)?
            }
        }
        InputData::Folder(path) => {
            let mut pools = Vec::new();
            for path in folder::files(path)? {
                let document = LoadedFile::open(&path)?;
                pools.extend(read(&document, Some(document.stem()), reading)?);
            }
            all_pools(&pools, entries, &mut stream)?
        }
        InputData::Pools(documents) => {
            let mut pools = Vec::new();
            for document in documents {
                pools.extend(read(document, Some(document.stem()), reading)?);
            }
            all_pools(&pools, entries, &mut stream)?
        }
    };
    Ok(one_each(turns, reading.seed))
}

/// Requests that combine a row of each pool.
fn all_pools(pools: &[Pool], entries: usize, stream: &mut Stream) -> Result<Vec<Turn>, DatasetError> {
    if pools.is_empty() { Ok(Vec::new()) } else { merged(pools, entries, stream) }
}

fn one_each(turns: Vec<Turn>, seed: Seed) -> Vec<Conversation> {
    let mut names = SessionNames::new(seed, HashSet::new());
    turns
        .into_iter()
        .map(|turn| Conversation {
            session_id: names.next(),
            turns: vec![turn],
            system: None,
            user_context: None,
            context_mode: ContextMode::default(),
            lineage: Lineage::Root,
        })
        .collect()
}

/// The rows of a file; `None` if there are none. Groups without a name get the name of the pool.
fn read(
    document: &LoadedFile,
    name: Option<&str>,
    reading: &mut ReadContext<'_>,
) -> Result<Option<Pool>, DatasetError> {
    let mut rows = lines::rows(document, &mut reading.row_errors, |line| {
        let object = lines::object(line)?;
        let fields = JsonFields(&object);
        if let Some(kind) = fields.string("type")?.filter(|kind| *kind != "random_pool") {
            return Err(format!("type is {kind:?}, but this file is read as random_pool"));
        }
        row::contents(fields, &reading.media)
    })?;
    if let Some(name) = name {
        let groups = rows.iter_mut().flat_map(|turn| {
            [&mut turn.texts, &mut turn.images, &mut turn.audios, &mut turn.videos].into_iter().flatten()
        });
        for group in groups.filter(|group| group.name.is_empty()) {
            name.clone_into(&mut group.name);
        }
    }
    Ok((!rows.is_empty()).then(|| Pool { path: document.path.clone(), rows }))
}

/// Draws one row of each pool per entry, and merges the rows of an entry into one turn.
fn merged(pools: &[Pool], entries: usize, stream: &mut Stream) -> Result<Vec<Turn>, DatasetError> {
    let mut turns = vec![Turn::default(); entries];
    for pool in pools {
        for turn in &mut turns {
            let drawn = choose(stream, &pool.rows).clone();
            turn.texts.extend(drawn.texts);
            turn.images.extend(drawn.images);
            turn.image_uuids.extend(drawn.image_uuids);
            turn.audio_seconds = match (turn.audios.is_empty(), drawn.audios.is_empty()) {
                (_, true) => turn.audio_seconds,
                (true, false) => drawn.audio_seconds,
                (false, false) => turn.audio_seconds.zip(drawn.audio_seconds).map(|(one, two)| one + two),
            };
            turn.audios.extend(drawn.audios);
            turn.videos.extend(drawn.videos);
            let places: usize = turn.images.iter().map(|image| image.contents.len()).sum();
            if !turn.image_uuids.is_empty() && turn.image_uuids.len() != places {
                return Err(refused(
                    &pool.path,
                    "some images of one request have image_uuids and others do not; give ids to all of them or to none",
                ));
            }
        }
    }
    Ok(turns)
}

/// Requests with the configured number of contents of each kind, drawn from all rows.
fn batches(
    pool: &Pool,
    batch: BatchSizes,
    entries: usize,
    stream: &mut Stream,
    media: &MediaFiles,
) -> Result<Vec<Turn>, DatasetError> {
    let texts = flat(pool, "texts", batch.texts, |turn| &turn.texts)?;
    let images = flat(pool, "images", batch.images, |turn| &turn.images)?;
    let audios = flat(pool, "audios", batch.audios, |turn| &turn.audios)?;
    let videos = flat(pool, "videos", batch.videos, |turn| &turn.videos)?;
    if pool.rows.iter().any(|turn| !turn.image_uuids.is_empty()) {
        return Err(refused(
            &pool.path,
            "image_uuids belong to the images of one row and cannot be used with batch sizes, which mix rows",
        ));
    }
    if [&texts, &images, &audios, &videos].iter().all(|contents| contents.is_empty()) {
        return Err(refused(&pool.path, "with these batch sizes nothing is left to send"));
    }
    let mut drawn = |contents: &[Arc<str>], size: usize| -> Vec<Media> {
        if contents.is_empty() {
            return Vec::new();
        }
        let contents = (0..size).map(|_| Arc::clone(choose(stream, contents))).collect();
        vec![Media { name: String::new(), contents }]
    };
    let draw = |_| {
        let (texts, images) = (drawn(&texts, batch.texts), drawn(&images, batch.images));
        let (audios, videos) = (drawn(&audios, batch.audios), drawn(&videos, batch.videos));
        Turn { texts, images, audio_seconds: media.seconds(&audios), audios, videos, ..Turn::default() }
    };
    Ok((0..entries).map(draw).collect())
}

/// All contents of a kind; none if its batch size is zero.
fn flat(
    pool: &Pool,
    kind: &str,
    size: usize,
    of: impl Fn(&Turn) -> &Vec<Media>,
) -> Result<Vec<Arc<str>>, DatasetError> {
    if pool.rows.iter().flat_map(&of).any(|group| !group.name.is_empty()) {
        let problem = format!("named {kind} belong to one row and cannot be used with batch sizes, which mix rows");
        return Err(refused(&pool.path, &problem));
    }
    let contents: Vec<Arc<str>> = pool.rows.iter().flat_map(&of).flat_map(|group| group.contents.clone()).collect();
    if contents.is_empty() && size > 1 {
        return Err(refused(&pool.path, &format!("a batch size of {size} is set, but the file has no {kind}")));
    }
    Ok(if size == 0 { Vec::new() } else { contents })
}

fn choose<'a, T>(stream: &mut Stream, all: &'a [T]) -> &'a T {
    &all[stream.below(all.len() as u64) as usize]
}

fn refused(path: &Path, problem: &str) -> DatasetError {
    DatasetError::Pool { path: path.to_owned(), problem: problem.to_owned() }
}
