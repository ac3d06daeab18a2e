//! The schema of a sweep.

use aiperf_config::CapacityOf;
use serde_json::{Map, Value, json};

use super::{object, written};

pub(super) fn schema() -> Value {
    let kinds: [(&str, Map<String, Value>); 6] = [
        ("grid", parameters("every combination of the lists")),
        ("zip", parameters("the first values of all lists, then the second ones, and so on")),
        (
            "scenarios",
            written(&[(
                "runs",
                "Runs, each with what differs from the base.",
                json!({"type": "array", "minItems": 1, "items": run()}),
            )]),
        ),
        ("sobol", sampling(&[("scramble", "Whether the points are shuffled.", json!({"type": "boolean"}))])),
        (
            "latin_hypercube",
            sampling(&[(
                "optimization",
                "How the points are spread further.",
                json!({"enum": ["random-cd", "lloyd", null]}),
            )]),
        ),
        ("adaptive_search", search()),
    ];
    let of_kind = |(kind, own): (&str, Map<String, Value>)| {
        let mut properties = common(kind);
        properties.extend(own);
        let mut schema = object(properties);
        schema["required"] = json!(["type"]);
        schema
    };
    let mut kinds: Vec<Value> = kinds.map(of_kind).into();
    kinds.push(capacity());
    json!({"description": "Several runs that differ in some values, or the search for a capacity.", "anyOf": kinds})
}

fn capacity() -> Value {
    let slo = json!({"type": "string"});
    let mut schema = object(written(&[
        (
            "type",
            "The search for the highest load within service-level objectives, in one run.",
            json!({"const": "capacity"}),
        ),
        (
            "slo",
            "Objectives as METRIC:LIMIT or METRIC:PERCENTILE:LIMIT.",
            json!({"anyOf": [slo, {"type": "array", "minItems": 1, "items": slo}]}),
        ),
        ("of", "A request rate or a number of users. Default: rate.", json!({"enum": CapacityOf::NAMES})),
        ("precision", "Half the width of the 95 % interval, such as 3%.", json!({"type": ["string", "number"]})),
        ("max_requests", "Maximum number of requests.", json!({"type": "integer", "minimum": 100})),
        ("max_duration", "Maximum duration.", json!({"$ref": "#/$defs/duration"})),
        ("max_users", "Maximum number of users.", json!({"type": "integer", "minimum": 1})),
    ]));
    schema["required"] = json!(["type", "slo"]);
    schema
}

fn common(kind: &str) -> Map<String, Value> {
    let handler = object(written(&[
        ("handler", "Name of the handler.", json!({"type": "string"})),
        ("params", "Settings of the handler.", json!({"type": "object"})),
        ("output_filename", "Name of the file that it writes.", json!({"type": "string"})),
    ]));
    written(&[
        ("type", "Kind of sweep.", json!({"const": kind})),
        ("cooldown_seconds", "Pause between two runs.", json!({"$ref": "#/$defs/duration"})),
        (
            "iteration_order",
            "repeated: all runs once, then all again. independent: all trials of a run, then the next.",
            json!({"enum": ["repeated", "independent"]}),
        ),
        ("same_seed", "All runs have the same seed.", json!({"$ref": "#/$defs/truth"})),
        ("sla_filters", "Limits that a run must keep to be feasible.", json!({"type": "array", "items": sla_filter()})),
        ("post_process", "What is computed from all runs at the end.", handler),
        ("recipe_name", "Name of the recipe that the sweep comes from.", json!({"type": "string"})),
    ])
}

fn sla_filter() -> Value {
    object(written(&[
        ("metric_tag", "Metric that is limited.", json!({"type": "string"})),
        ("stat", "Statistic of the metric. Default: p95.", json!({"type": "string"})),
        ("op", "Comparison of the statistic with the threshold.", json!({"enum": ["lt", "le", "gt", "ge"]})),
        ("threshold", "Limit, in the unit of the metric.", json!({"type": "number"})),
    ]))
}

fn parameters(runs: &str) -> Map<String, Value> {
    let about = format!("Paths of fields with lists of values; the runs are {runs}.");
    written(&[(
        "parameters",
        &about,
        json!({"type": "object", "additionalProperties": {"type": "array", "minItems": 1}}),
    )])
}

fn run() -> Value {
    object(written(&[
        ("name", "Name of the run and of its folder.", json!({"type": "string"})),
        ("variables", "Variables that differ from the base.", json!({"type": "object"})),
        ("benchmark", "Fields that differ from the base.", json!({"type": "object"})),
        ("values", "Values that name the folder and the columns of tables.", json!({"type": "object"})),
    ]))
}

fn sampling(own: &[(&str, &str, Value)]) -> Map<String, Value> {
    let number = || json!({"type": "number"});
    let dimension = object(written(&[
        ("path", "Path of the field.", json!({"type": "string"})),
        ("lo", "Lowest value.", number()),
        ("hi", "Highest value.", number()),
        ("scale", "Whether values are spread evenly or by factors.", json!({"enum": ["linear", "log"]})),
        ("kind", "Whole numbers or real ones.", json!({"enum": ["real", "int"]})),
        ("choices", "Values to choose from, in place of a range.", json!({"type": "array"})),
    ]));
    let mut properties = written(&[
        ("samples", "Number of runs.", json!({"type": "integer", "minimum": 2, "maximum": 1_048_576})),
        ("seed", "Seed of the points.", json!({"type": "integer"})),
        ("dimensions", "What is varied.", json!({"type": "array", "minItems": 1, "items": dimension})),
        ("label_format", "index: numbered runs. kv: named after their values.", json!({"enum": ["index", "kv"]})),
    ]);
    properties.extend(written(own));
    properties
}

fn search() -> Map<String, Value> {
    let number = || json!({"type": "number"});
    let whole = || json!({"type": "integer"});
    let stats = || json!({"enum": ["avg", "p50", "p90", "p95", "p99"]});
    let dimension = object(written(&[
        ("path", "Path of the field.", json!({"type": "string"})),
        ("lo", "Lowest value.", number()),
        ("hi", "Highest value.", number()),
        ("kind", "Whole numbers or real ones.", json!({"enum": ["real", "int"]})),
        ("prior", "Whether values are tried evenly or by factors.", json!({"enum": ["uniform", "log-uniform"]})),
    ]));
    let objective = object(written(&[
        ("metric", "Metric that is optimized.", json!({"type": "string"})),
        ("stat", "Statistic of the metric.", stats()),
        ("direction", "Whether larger or smaller is better.", json!({"enum": ["maximize", "minimize"]})),
        ("threshold", "Corner of the front of several objectives.", number()),
    ]));
    let constraint = object(written(&[
        ("metric", "Metric that is limited.", json!({"type": "string"})),
        ("op", "Comparison.", json!({"enum": ["<=", ">=", "=="]})),
        ("bound", "Limit.", number()),
    ]));
    let tier = object(written(&[
        ("label", "Name of the tier.", json!({"type": "string"})),
        ("filters", "Limits of the tier.", json!({"type": "array", "items": sla_filter()})),
        ("ordering_rank", "Place of the tier among the others.", whole()),
    ]));
    written(&[
        (
            "planner",
            "How the next point is chosen.",
            json!({"enum": ["bayesian", "optuna", "monotonic_sla", "smooth_isotonic"]}),
        ),
        ("search_space", "What is varied.", json!({"type": "array", "minItems": 1, "items": dimension})),
        (
            "objectives",
            "What is optimized; several give the best compromises.",
            json!({"type": "array", "items": objective}),
        ),
        ("outcome_constraints", "Limits of metrics.", json!({"type": "array", "items": constraint})),
        ("max_iterations", "Most points.", json!({"type": "integer", "minimum": 2, "maximum": 200})),
        ("n_initial_points", "Points before the planner learns from them.", whole()),
        ("plateau_window", "Points that are looked at for a plateau.", whole()),
        ("plateau_threshold", "Relative spread below which the search ends.", number()),
        ("improvement_patience", "Points without an improvement after which the search ends.", whole()),
        ("random_seed", "Seed of the planner.", whole()),
        ("optuna_sampler", "Sampler.", json!({"enum": ["gp", "tpe", "botorch"]})),
        ("optuna_acquisition", "Acquisition function.", json!({"type": ["string", "null"]})),
        ("optuna_terminator", "Rule that ends the search.", json!({"type": ["string", "null"]})),
        ("objective_pooling", "How trials of a point are put together.", json!({"enum": ["mean", "pooled"]})),
        ("constraint_mode", "How points that break a limit count.", json!({"enum": ["penalty", "eic"]})),
        ("monotonic_stability_trials", "Equal verdicts that a value needs.", whole()),
        ("sla_replicates", "Repetitions at the boundary; 0 chooses.", whole()),
        ("sla_precision", "Requests of a point.", json!({"enum": ["tight", "normal", "coarse"]})),
        ("sla_warmup_seconds", "Warmup before each point.", number()),
        ("sla_tiers", "Groups of limits, each with its own boundary.", json!({"type": "array", "items": tier})),
    ])
}
