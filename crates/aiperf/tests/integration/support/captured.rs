//! What the reference sent: its command lines and requests, as they were captured at a server.

use serde_json::Value;

use super::recorded_replies::recordings;

/// One run of the reference.
#[derive(Debug)]
pub(crate) struct CapturedRun {
    pub(crate) name: String,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) words: Vec<String>,
    /// Files that the command line names, with their contents.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Ordered by connection, and within one by time.
    pub(crate) requests: Vec<CapturedRequest>,
}

#[derive(Debug)]
pub(crate) struct CapturedRequest {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) connection: usize,
    /// The document or the list of parts; null where there was no body.
    pub(crate) body: Value,
}

/// All runs of AIPerf. Those of GenAI-Perf are elsewhere: they came without their command lines.
pub(crate) fn captured_runs() -> Vec<CapturedRun> {
    let mut paths: Vec<_> =
        std::fs::read_dir(recordings().join("requests")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| !path.ends_with("genai-perf-http.json"));
    let read = |path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
    paths.iter().flat_map(|path| read(path)["cases"].as_array().unwrap().clone()).map(|case| run_of(&case)).collect()
}

fn run_of(case: &Value) -> CapturedRun {
    let mut words = shell_words(case["flags"].as_str().unwrap());
    let first = words.iter().position(|word| word.starts_with('-')).unwrap();
    let variables = words.drain(..first).map(|word| {
        let (name, value) = word.split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    });
    let variables = variables.collect();
    let mut requests: Vec<CapturedRequest> = case["requests"].as_array().unwrap().iter().map(request_of).collect();
    requests.sort_by_key(|request| request.connection);
    let files = files_of(case, &words, &requests);
    let name = case["case"].as_str().unwrap().to_owned();
    // The capture has names for ids, but for one id that it left as it was, and a value of the command line that it took for one.
    for (of, header, value) in [
        ("env-force", "X-Session-ID", "<uuid-2>"),
        ("env-force", "X-SMG-Routing-Key", "<uuid-2>"),
        ("env-force", "X-Dynamo-Session-ID", "<uuid-2>"),
        ("h-hdrs", "x-correlation-id", "mine"),
        // All hosts were given one name; a proxy is told that of the server.
        ("i-proxy", "Host", "example.invalid"),
    ] {
        let headers = requests.iter_mut().filter(|_| of == name).flat_map(|request| &mut request.headers);
        headers.filter(|there| there.0 == header).for_each(|there| value.clone_into(&mut there.1));
    }
    CapturedRun { name, variables, words, files, requests }
}

fn files_of(case: &Value, words: &[String], requests: &[CapturedRequest]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    if let Some(text) = case["input_file"].as_str() {
        let name = &words[words.iter().position(|word| word == "--input-file").unwrap() + 1];
        files.push((name.clone(), text.as_bytes().to_vec()));
        if text.contains("data/t.wav") {
            let sound = requests[0].body[0]["value_b64"].as_str().unwrap();
            files.push(("data/t.wav".to_owned(), decoded(sound)));
        }
    }
    if let Some(text) = case["template_file"].as_str() {
        let name = words.iter().find_map(|word| word.strip_prefix("payload_template:")).unwrap();
        files.push((name.to_owned(), text.as_bytes().to_vec()));
    }
    files
}

fn decoded(base64: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(base64).unwrap()
}

fn request_of(request: &Value) -> CapturedRequest {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let headers = request["headers"].as_array().unwrap();
    let body = request.get("json").or_else(|| request.get("multipart")).cloned().unwrap_or_default();
    CapturedRequest {
        method: word(&request["method"]),
        target: word(&request["path"]),
        headers: headers.iter().map(|header| (word(&header[0]), word(&header[1]))).collect(),
        connection: request["conn"].as_u64().unwrap() as usize,
        body,
    }
}

/// The words of a command line as a shell would part them.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(characters.next()),
            (' ', None) => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}
