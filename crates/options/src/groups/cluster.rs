//! Nodes that are connected through NATS: this process coordinates them and sends nothing itself.

use std::time::Duration;

use aiperf_config::{ClusterConfig, CoordinatorLossPolicy, NodeLossPolicy, Pace, Phases};

use super::nodes::NEED_ALL;
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

const NODE_TIMEOUT: Duration = Duration::from_millis(2500);
const JOIN_TIMEOUT: Duration = Duration::from_secs(300);
const POOL: &str = "default";

pub(crate) const CLUSTER: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::Nodes,
        &["nodes"],
        ValueKind::Int,
        "Number of nodes that send the run together, each its share. This process coordinates them through NATS and sends nothing \
         itself. Start a node with `aiperf node --join URL`. Counts, rates and limits apply to the whole run. Needs --nats.",
    )
    .at_least(1.0)
    .at_most(65535.0)
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Nats,
        &["nats"],
        ValueKind::Text,
        "URL of a NATS server with JetStream, such as nats://10.0.0.5:4222 or tls://nats.example:4222; several with commas. \
         Credentials come from AIPERF_NATS_* variables, not from the URL.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::NodePool,
        &["node-pool"],
        ValueKind::Text,
        "Take nodes that joined with this --node-pool. Use it to keep runs on one NATS server apart.",
    )
    .default(POOL)
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::RunId,
        &["run-id"],
        ValueKind::Text,
        "Name of the run on the NATS server, for `aiperf attach`: letters, digits, hyphens and underscores.",
    )
    .default("random")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::OnNodeLoss,
        &["on-node-loss"],
        ValueKind::Choice(&NodeLossPolicy::NAMES),
        "What to do when a node is lost. `fail`: the other nodes stop. `continue`: they go on with their own shares. `replace`: a node that \
         waits in the pool sends what the lost one has not sent; needs --concurrency and a request or session count. Requests under way \
         on the lost node are records with the error lost_worker, and the summary names the node.",
    )
    .default("fail")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::OnCoordinatorLoss,
        &["on-coordinator-loss"],
        ValueKind::Choice(&CoordinatorLossPolicy::NAMES),
        "What nodes do when this process is lost. `finish`: they send their whole share. `drain`: they stop sending and wait for the \
         requests under way. `aiperf attach` collects the results.",
    )
    .default("finish")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::NodeTimeout,
        &["node-timeout"],
        ValueKind::Float,
        "Seconds of silence after which a node is lost. Nodes report four times a second.",
    )
    .at_least(1.0)
    .at_most(3600.0)
    .unit("s")
    .default("2.5")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::JoinTimeout,
        &["join-timeout"],
        ValueKind::Float,
        "Seconds to wait until enough nodes have joined the pool.",
    )
    .at_least(1.0)
    .at_most(86_400.0)
    .unit("s")
    .default("300")
    .ours()
    .supported(),
];

const PER_NODE: &str = "it reads the results of one process, and the nodes of a run are several";
/// Options that a coordinator cannot follow, and the reason.
const REFUSED: [(OptionId, &str); 9] = [
    (OptionId::NodeIndex, "the coordinator gives each node its index"),
    (OptionId::NodeCount, "--nodes says how many there are"),
    (OptionId::StartAt, "the coordinator sets the common start"),
    (OptionId::OtelUrl, PER_NODE),
    (OptionId::MlflowTrackingUri, PER_NODE),
    (OptionId::WandbProject, PER_NODE),
    (OptionId::Strict, PER_NODE),
    (OptionId::ProfileExportPrefix, "the folders of nodes and the merged folder have fixed file names"),
    (OptionId::DryRun, "nodes would have to take part; plan the run without --nodes"),
];

/// A replacement begins where the lost node stopped, in the order of sessions. That is the same load only if the load has no clock.
pub(super) fn check(raw: &RawOptions, cluster: &ClusterConfig, phases: &Phases) -> Result<(), ConfigError> {
    if cluster.on_node_loss != NodeLossPolicy::Replace {
        return Ok(());
    }
    let refuse = |why: &str| Err(raw.bad(OptionId::OnNodeLoss, "replace", why));
    for phase in phases {
        if !matches!(phase.pace, Pace::Concurrency(_)) {
            return refuse(
                "needs --concurrency: requests of a schedule that were due while the node was lost could not be sent in time; use `continue`",
            );
        }
        if phase.stop.duration.is_some() || !(phase.stop.requests.is_some() || phase.stop.sessions.is_some()) {
            return refuse(
                "needs a request or session count and no duration: what a lost node would still have sent within a time is not known; use \
                 `continue`",
            );
        }
        if phase.cancellation.is_some() {
            return refuse(
                "cannot be combined with --request-cancellation-rate: other requests would be cancelled; use `continue`",
            );
        }
    }
    Ok(())
}

/// `None` unless this process coordinates nodes.
pub(super) fn resolve(raw: &RawOptions) -> Result<Option<ClusterConfig>, ConfigError> {
    let (nodes_id, url_id) = (OptionId::Nodes, OptionId::Nats);
    let pool = raw.text(OptionId::NodePool).unwrap_or(POOL).to_owned();
    let run_id = raw.text(OptionId::RunId).map(ToOwned::to_owned);
    let on_node_loss = raw.choice(OptionId::OnNodeLoss)?.and_then(NodeLossPolicy::from_name);
    let on_coordinator_loss = raw.choice(OptionId::OnCoordinatorLoss)?.and_then(CoordinatorLossPolicy::from_name);
    let node_timeout = raw.seconds(OptionId::NodeTimeout)?;
    let join_timeout = raw.seconds(OptionId::JoinTimeout)?;
    let (nodes, url) = match (raw.int::<u64>(nodes_id)?, raw.text(url_id)) {
        (Some(nodes), Some(url)) => (nodes, url.to_owned()),
        (Some(_), None) => return Err(raw.needs(nodes_id, url_id, "nodes are connected through a NATS server")),
        (None, _) => {
            let alone = CLUSTER.iter().map(|spec| spec.id).find(|id| raw.is_given(*id));
            let why = "without it this process sends the run itself";
            return alone.map_or(Ok(None), |id| Err(raw.needs(id, nodes_id, why)));
        }
    };
    if let Some((other, why)) = REFUSED.into_iter().chain(NEED_ALL).find(|(other, _)| raw.is_given(*other)) {
        return Err(raw.conflict(other, nodes_id, why));
    }
    Ok(Some(ClusterConfig {
        nodes,
        url,
        pool,
        run_id,
        on_node_loss: on_node_loss.unwrap_or_default(),
        on_coordinator_loss: on_coordinator_loss.unwrap_or_default(),
        node_timeout: node_timeout.unwrap_or(NODE_TIMEOUT),
        join_timeout: join_timeout.unwrap_or(JOIN_TIMEOUT),
    }))
}
