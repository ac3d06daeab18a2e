//! A public data set: where its rows are, and which of its columns make a request. The loaders are those of the built-in sets.

use aiperf_config::{Chat, PUBLIC_SETS, PublicOrigin, PublicSet, Recipe, same_name};
use aiperf_config_file::FileError;

use super::field::{Checked, Field, Form, field, required};

pub(super) const FIELDS: &[Field] = &[
    field("description", Form::Text, "What the entry is for, in one line."),
    required(
        "metadata",
        Form::Map(METADATA),
        "Where the rows are and what is in them. Most names are those of AIPerf.",
    ),
];

const METADATA: &[Field] = &[
    field("hf_dataset_name", Form::Text, "Repository on the Hugging Face hub, as OWNER/NAME."),
    field("hf_split", Form::Text, "Split of the repository. Default: train."),
    field("hf_subset", Form::Text, "Subset of the repository."),
    field("hf_revision", Form::Text, "Revision of the repository. Default: main."),
    field("hf_file", Form::Text, "One file of the repository, instead of a split."),
    field("url", Form::Text, "Address of a JSON, JSON Lines or Parquet file, instead of a repository."),
    field("prompt_column", Form::Text, "Column with the text of a request."),
    field("multi_turn", Form::Flag, "The column has a list of texts, one for each turn. Default: false."),
    field("first_only", Form::Flag, "The column has a list of texts, of which the first is sent. Default: false."),
    field("image_column", Form::Text, "Column with an image."),
    field("audio_column", Form::Text, "Column with speech to be transcribed."),
    field("conversation_column", Form::Text, "Column with a list of messages; needs image_column."),
    field("message_role_key", Form::Text, "Key of a message for who speaks. Default: role."),
    field("message_user_value", Form::Text, "Value of that key for the user. Default: user."),
    field("message_content_key", Form::Text, "Key of a message for its text. Default: content."),
    field("streaming", Form::Flag, "Read only as many rows as the run needs. Default: false."),
];

pub(super) fn read(name: &str, entry: &Checked<'_>) -> Result<&'static PublicSet, FileError> {
    if PUBLIC_SETS.iter().any(|set| same_name(set.name, name)) {
        return Err(entry.problem("", "a built-in data set has this name; choose another one"));
    }
    let Some(metadata) = entry.map("metadata") else { return Err(entry.problem("metadata", "must be a map")) };
    let set = PublicSet {
        name: name.to_owned().leak(),
        origin: origin(&metadata)?,
        streamed: metadata.flag("streaming").unwrap_or(false),
        recipe: recipe(&metadata)?,
    };
    Ok(Box::leak(Box::new(set)))
}

fn leaked(metadata: &Checked<'_>, name: &str) -> Option<&'static str> {
    metadata.text(name).map(|text| &*text.leak())
}

fn origin(metadata: &Checked<'_>) -> Result<PublicOrigin, FileError> {
    match (leaked(metadata, "hf_dataset_name"), leaked(metadata, "url")) {
        (Some(_), Some(_)) => Err(metadata.problem("url", "give either `url` or `hf_dataset_name`")),
        (None, None) => Err(metadata.problem("", "needs `hf_dataset_name` or `url`")),
        (None, Some(url)) => Ok(PublicOrigin::Url(url)),
        (Some(repository), None) => Ok(match leaked(metadata, "hf_file") {
            Some(path) => PublicOrigin::File { repository, path },
            None => PublicOrigin::Split {
                repository,
                revision: leaked(metadata, "hf_revision").unwrap_or("main"),
                subset: leaked(metadata, "hf_subset"),
                split: leaked(metadata, "hf_split").unwrap_or("train"),
            },
        }),
    }
}

fn recipe(metadata: &Checked<'_>) -> Result<Recipe, FileError> {
    let column = |name: &str| leaked(metadata, name);
    let flag = |name: &str| metadata.flag(name).unwrap_or(false);
    match (column("prompt_column"), column("conversation_column"), column("image_column"), column("audio_column")) {
        (None, None, None, Some(audio)) => Ok(Recipe::Speech { audio }),
        (Some(question), None, Some(image), None) => Ok(Recipe::Picture { question, image }),
        (None, Some(chat), Some(image), None) => Ok(Recipe::PictureChat {
            chat: Chat {
                column: chat,
                speaker: column("message_role_key").unwrap_or("role"),
                user: column("message_user_value").unwrap_or("user"),
                text: column("message_content_key").unwrap_or("content"),
            },
            image,
        }),
        (Some(column), None, None, None) => Ok(match (flag("multi_turn"), flag("first_only")) {
            (true, true) => return Err(metadata.problem("first_only", "cannot be combined with multi_turn")),
            (true, false) => Recipe::Turns { column },
            (false, true) => Recipe::FirstOf { column },
            (false, false) => Recipe::Prompt { column },
        }),
        _ => Err(metadata.problem(
            "",
            "needs one of these: prompt_column; prompt_column and image_column; conversation_column and image_column; \
             audio_column",
        )),
    }
}
