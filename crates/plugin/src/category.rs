//! The categories of plugins, with AIPerf's names, and what this program has in each of them.

use aiperf_config::{PUBLIC_SETS, same_name};
use aiperf_options::catalogue::OptionId;
use aiperf_options::recipe_names;
use aiperf_plot::PlotType;
use aiperf_protocol::{EndpointFacts, EndpointKind};

use crate::pack::EntryForm;

/// A kind of part that plugins can add to, or that AIPerf has.
#[derive(Debug)]
pub struct Category {
    pub name: &'static str,
    pub description: &'static str,
    registry: Registry,
    /// What a pack may say about an entry; `None`: packs cannot add entries.
    pub(crate) form: Option<EntryForm>,
    /// AIPerf has no such category.
    pub is_own: bool,
}

/// An entry that is part of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltInEntry {
    pub name: String,
    pub description: String,
}

/// Where the built-in entries of a category come from.
#[derive(Debug, Clone, Copy)]
enum Registry {
    Endpoints,
    PublicSets,
    Recipes,
    Plots,
    /// The values of an option.
    Values(OptionId),
    /// Part of the program, without names to choose from.
    Fixed,
    /// A part of AIPerf's processes that this program does not have.
    Absent,
}

use EntryForm::{Endpoint, Grader, Plot, Process, PublicDataset, Recipe, SloSet};
use Registry::{Absent, Fixed, Values};

/// All categories, in alphabetical order.
pub const CATEGORIES: [Category; 37] = [
    category("accumulator", "Collects the values of a run for its summary", Fixed, None),
    category("accuracy_benchmark", "Questions with known answers", Values(OptionId::AccuracyBenchmark), None),
    category("accuracy_grader", "Decides whether an answer is right", Values(OptionId::AccuracyGrader), Some(Grader)),
    category("analyzer", "Derives metrics from collected values", Fixed, None),
    category("api_router", "Routes of the live HTTP interface", Fixed, None),
    category("arrival_pattern", "Distribution of the times between requests", Values(OptionId::ArrivalPattern), None),
    category("communication", "Message bus between AIPerf's processes", Absent, None),
    category("communication_client", "Clients of AIPerf's message bus", Absent, None),
    category("console_exporter", "Tables on the console", Fixed, None),
    category("convergence_criterion", "When repeated runs have converged", Values(OptionId::ConvergenceMode), None),
    category("custom_dataset_loader", "Formats of input files", Values(OptionId::CustomDatasetType), Some(Process)),
    category("data_exporter", "Gets the results at the end of a run", Fixed, Some(Process)),
    category("dataset_backing_store", "Storage of AIPerf's data set process", Absent, None),
    category("dataset_client_store", "Access to AIPerf's data set process", Absent, None),
    category("dataset_composer", "Ways to make conversations", Fixed, None),
    category(
        "dataset_sampler",
        "Order in which conversations are drawn",
        Values(OptionId::DatasetSamplingStrategy),
        None,
    ),
    category("endpoint", "APIs of servers", Registry::Endpoints, Some(Endpoint)),
    category("gpu_telemetry_collector", "Sources of GPU metrics", Fixed, None),
    category("plot", "Charts of aiperf plot", Registry::Plots, Some(Plot)),
    category("public_dataset_loader", "Public data sets", Registry::PublicSets, Some(PublicDataset)),
    category("ramp", "Shapes of ramps", Values(OptionId::RampShape), None),
    category("record_observer", "Sees each record of a run", Fixed, None),
    category("record_processor", "Computes the values of a record", Fixed, None),
    category("search_planner", "Chooses the points of a search", Values(OptionId::SearchPlanner), Some(Process)),
    category("search_recipe", "Ready-made searches and sweeps", Registry::Recipes, Some(Recipe)),
    category("search_recipe_post_process", "What is computed after the points of a recipe", Fixed, None),
    own("server_metrics_collector", "Extra server metrics of a run", Some(Process)),
    category("service", "AIPerf's processes", Absent, None),
    category("service_manager", "Starts AIPerf's processes", Absent, None),
    own("slo_set", "Named limits for --goodput", Some(SloSet)),
    category("spec_decode_adapter", "Reports of servers about speculative decoding", Fixed, None),
    category("stream_exporter", "Gets records during a run", Fixed, Some(Process)),
    category("timing_strategy", "When requests are sent", Fixed, None),
    category("transport", "Protocols under the APIs", Values(OptionId::Transport), None),
    category("ui", "What is shown during a run", Values(OptionId::UiType), None),
    category("url_selection_strategy", "Order in which servers are used", Values(OptionId::UrlStrategy), None),
    category("zmq_proxy", "Proxies of AIPerf's message bus", Absent, None),
];

const fn category(
    name: &'static str,
    description: &'static str,
    registry: Registry,
    form: Option<EntryForm>,
) -> Category {
    Category { name, description, registry, form, is_own: false }
}

const fn own(name: &'static str, description: &'static str, form: Option<EntryForm>) -> Category {
    Category { name, description, registry: Fixed, form, is_own: true }
}

impl Category {
    /// Reads a name in any case, with `-` and `_` alike.
    pub fn named(name: &str) -> Option<&'static Self> {
        CATEGORIES.iter().find(|category| same_name(category.name, name))
    }

    /// The entries that are part of this program.
    pub fn built_in(&self) -> Vec<BuiltInEntry> {
        let entry = |name: &str, description: String| BuiltInEntry { name: name.to_owned(), description };
        match self.registry {
            Registry::Endpoints => {
                EndpointKind::ALL.iter().map(|kind| entry(kind.facts().name, endpoint_words(kind.facts()))).collect()
            }
            Registry::PublicSets => PUBLIC_SETS.iter().map(|set| entry(set.name, set.recipe.summary())).collect(),
            Registry::Recipes => recipe_names().iter().map(|name| entry(name, "--search-recipe".to_owned())).collect(),
            Registry::Plots => PlotType::all_names().map(|name| entry(name, "type of a plot".to_owned())).collect(),
            Registry::Values(id) => id.spec().members().iter().map(|name| entry(name, id.flag())).collect(),
            Registry::Fixed | Registry::Absent => Vec::new(),
        }
    }

    /// Why the category has no built-in entries to choose from.
    pub fn note(&self) -> Option<&'static str> {
        match self.registry {
            Registry::Fixed => Some("part of the program, without names to choose from"),
            Registry::Absent => Some("a part of AIPerf's processes; aiperf is one process"),
            _ => None,
        }
    }

    /// Whether a pack can add entries.
    pub const fn takes_packs(&self) -> bool {
        self.form.is_some()
    }
}

fn endpoint_words(facts: &EndpointFacts) -> String {
    let path = if facts.path.is_empty() { "the URL itself" } else { facts.path };
    let streams = if facts.streams { ", streams" } else { "" };
    format!("{path}{streams}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_sorted_and_found_by_any_spelling() {
        assert!(CATEGORIES.is_sorted_by(|one, other| one.name < other.name));
        assert_eq!(Category::named("Public-Dataset-Loader").unwrap().name, "public_dataset_loader");
        assert!(Category::named("nope").is_none());
    }

    #[test]
    fn every_choice_of_the_reference_is_listed() {
        for (category, count) in
            [("endpoint", 19), ("public_dataset_loader", 42), ("accuracy_grader", 9), ("accuracy_benchmark", 11)]
        {
            let entries = Category::named(category).unwrap().built_in();
            assert!(entries.len() >= count, "{category}: {}", entries.len());
        }
    }
}
