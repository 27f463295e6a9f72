//! Messages and all that they are made of.

use std::{collections::BTreeMap, net::IpAddr};

use exo_wire::{
    Command, DownloadCommand, ElectionMessage, Event, ForwardedCommand, ForwardedDownloadCommand,
    GatheredInfo, GlobalEvent, LocalEvent, RunnerId,
    card::{
        ComponentInfo, ModelCard, ModelTask, ReasoningDialect, SamplingDefaults, SamplingValues,
        VisionCardConfig,
    },
    chunk::{
        Chunk, CompletionTokensDetails, ErrorChunk, ErrorFinish, FinishReason, GenerationStats, ImageChunk,
        ImageGenerationStats, InputChunk, InputImageChunk, PrefillProgressChunk, PrefixCacheHit,
        PromptTokensDetails, TokenChunk, TokenFinish, ToolCallChunk, ToolCallFinish, ToolCallItem,
        TopLogprobItem, Usage,
    },
    command,
    diagnostics::Diagnostics,
    download::{
        DownloadCompleted, DownloadFailed, DownloadOngoing, DownloadPending, DownloadProgress,
        DownloadProgressData, FileName, FileProgress, NoFiles,
    },
    edge::{Connection, Edge, RdmaConnection, SocketConnection},
    event::{self, TraceEventData},
    finite::Amount,
    gathered::{
        Backend, DiskUsage, InterfaceType, MacThunderboltConnections, MacThunderboltIdentifiers,
        MacmonMetrics, MemoryUsage, MiscData, NetworkInterfaceInfo, NodeBackends, NodeDiskUsage,
        NodeNetworkInterfaces, RdmaCtlStatus, StaticNodeInformation, SystemPerformanceProfile,
        ThunderboltBridgeInfo, ThunderboltBridgeStatus, ThunderboltConnection, ThunderboltIdentifier,
    },
    image::{
        AdvancedImageParams, ImageEditsTaskParams, ImageFormat, ImageGenerationTaskParams, ImageQuality,
        ImageResponse, ImageSize, Steps,
    },
    instance::{
        BoundInstance, Host, Instance, InstanceLink, InstanceMeta, MlxJacclInstance, MlxRingInstance,
        ShardAssignments, Sharding,
    },
    open_json::{ChatTemplateMessage, MAX_DEPTH, Tool},
    os_version::OsVersion,
    plain_address::PlainAddress,
    runner::{RunnerFailed, RunnerLoading, RunnerReady, RunnerStatus},
    shard::{CfgShard, Shard, ShardMetadata},
    task::{self, Task, TaskStatus},
    text::{InputMessage, ReasoningEffort, Role, Stop, TextGenerationTaskParams},
};
use serde_json::{Map, Value};

use super::{Any, Dice, any_enum, any_struct, any_word};

any_struct! {
    LocalEvent { origin_idx, origin, session, event }
    GlobalEvent { origin_idx, origin, session, event }
    ForwardedCommand { origin, command }
    ForwardedDownloadCommand { origin, command }
}

any_enum! {
    Event {
        TestEvent(), TaskCreated(), TaskStatusUpdated(), TaskFailed(), TaskDeleted(), TaskAcknowledged(),
        InstanceCreated(), InstanceDeleted(), RunnerStatusUpdated(), NodeTimedOut(), NodeGatheredInfo(),
        NodeDownloadProgress(), ChunkGenerated(), InputChunkReceived(), TopologyEdgeCreated(), TopologyEdgeDeleted(),
        TracesCollected(), TracesMerged(), CustomModelCardAdded(), CustomModelCardDeleted(), InstanceLinkCreated(),
        InstanceLinkDeleted(),
    }
    Command {
        TestCommand(), RequestEventLog(), TextGeneration(), ImageGeneration(), ImageEdits(), PlaceInstance(),
        CreateInstance(), DeleteInstance(), TaskCancelled(), TaskFinished(), SendInputChunk(), AddCustomModelCard(),
        DeleteCustomModelCard(), SetInstanceLink(), DeleteInstanceLink(),
    }
    DownloadCommand { StartDownload(), DeleteDownload(), CancelDownload() }
    GatheredInfo {
        MacmonMetrics(), NodeNetworkInterfaces(), MacThunderboltIdentifiers(), MacThunderboltConnections(),
        RdmaCtlStatus(), ThunderboltBridgeInfo(), NodeConfig {}, MiscData(), StaticNodeInformation(), NodeDiskUsage(),
        NodeBackends(), MemoryUsage(),
    }
    Task {
        CreateRunner(), DownloadModel(), ConnectToGroup(), LoadModel(), StartWarmup(), TextGeneration(), CancelTask(),
        ImageGeneration(), ImageEdits(), Shutdown(),
    }
    RunnerStatus {
        Idle {}, Connecting {}, Connected {}, Loading(), Loaded {}, WarmingUp {}, Ready(), Running {},
        ShuttingDown {}, Shutdown {}, Failed(),
    }
    DownloadProgress { Pending(), Ongoing(), Completed(), Failed() }
    Chunk { PrefillProgress(), Token(), Image(), ToolCall(), Error() }
    InputChunk { InputImageChunk() }
    ShardMetadata { Pipeline(), Tensor(), Cfg() }
    Instance { MlxRing(), MlxJaccl() }
    Edge { Socket(), Rdma() }
    Stop { At(), AtAny() }
}

any_word! {
    Backend { MlxMetal, MlxCpu, MlxCuda, Vllm }
    InterfaceType { Wifi, Ethernet, MaybeEthernet, Thunderbolt, Unknown }
    ModelTask { TextGeneration, TextToImage, ImageToImage }
    ReasoningDialect { None, PostLastUser, Suffix, Channel, ToolConditional }
    TokenFinish { Stop, Length, ContentFilter }
    FinishReason { Stop, Length, ToolCalls, ContentFilter, FunctionCall, Error }
    ToolCallFinish { ToolCalls }
    ErrorFinish { Error }
    PrefixCacheHit { None, Partial, Exact }
    InstanceMeta { MlxRing, MlxJaccl }
    Sharding { Pipeline, Tensor }
    TaskStatus { Pending, Running, Complete, TimedOut, Failed, Cancelled }
    Role { User, Assistant, System, Developer, Tool }
    ReasoningEffort { None, Minimal, Low, Medium, High, ExtraHigh }
    ImageFormat { Png, Jpeg, Webp }
    ImageQuality { High, Medium, Low }
    ImageResponse { Url, B64Json }
    ImageSize { Auto, Square512, Square768, Wide1024, Tall1024, Square1024, Tall1536, Wide1536 }
}

any_struct! {
    event::TestEvent { event_id }
    event::TaskStatusUpdated { event_id, task_id, task_status }
    event::TaskFailed { event_id, task_id, error_type, error_message }
    event::TaskDeleted { event_id, task_id }
    event::TaskAcknowledged { event_id, task_id }
    event::InstanceCreated { event_id, instance }
    event::InstanceDeleted { event_id, instance_id }
    event::RunnerStatusUpdated { event_id, runner_id, runner_status }
    event::NodeTimedOut { event_id, node_id }
    event::NodeGatheredInfo { event_id, node_id, when, info }
    event::NodeDownloadProgress { event_id, download_progress }
    event::ChunkGenerated { event_id, command_id, chunk }
    event::InputChunkReceived { event_id, command_id, chunk }
    event::TopologyEdgeCreated { event_id, conn }
    event::TopologyEdgeDeleted { event_id, conn }
    event::TracesCollected { event_id, task_id, rank, traces }
    event::TracesMerged { event_id, task_id, traces }
    event::CustomModelCardAdded { event_id, model_card }
    event::CustomModelCardDeleted { event_id, model_id }
    event::InstanceLinkCreated { event_id, link }
    event::InstanceLinkDeleted { event_id, link_id }
    TraceEventData { name, start_us, duration_us, rank, category }
}

any_struct! {
    command::TestCommand { command_id }
    command::RequestEventLog { command_id, since_idx }
    command::TextGeneration { command_id, task_params }
    command::ImageGeneration { command_id, task_params }
    command::ImageEdits { command_id, task_params }
    command::PlaceInstance { command_id, model_card, sharding, instance_meta, min_nodes }
    command::CreateInstance { command_id, instance }
    command::DeleteInstance { command_id, instance_id }
    command::TaskCancelled { command_id, cancelled_command_id }
    command::TaskFinished { command_id, finished_command_id }
    command::SendInputChunk { command_id, chunk }
    command::AddCustomModelCard { command_id, model_card }
    command::DeleteCustomModelCard { command_id, model_id }
    command::SetInstanceLink { command_id, link_id, prefill_instances, decode_instances }
    command::DeleteInstanceLink { command_id, link_id }
    command::StartDownload { command_id, target_node_id, shard_metadata }
    command::DeleteDownload { command_id, target_node_id, model_id }
    command::CancelDownload { command_id, target_node_id, model_id }
}

any_struct! {
    MemoryUsage { ram_total, ram_available, swap_total, swap_available }
    MacmonMetrics { system_profile, memory }
    SystemPerformanceProfile { gpu_usage, temp, sys_power, pcpu_usage, ecpu_usage }
    NodeNetworkInterfaces { ifaces }
    NetworkInterfaceInfo { name, ip_address, interface_type }
    MacThunderboltIdentifiers { idents }
    ThunderboltIdentifier { rdma_interface, domain_uuid, link_speed }
    MacThunderboltConnections { conns }
    ThunderboltConnection { source_uuid, sink_uuid }
    RdmaCtlStatus { enabled }
    ThunderboltBridgeInfo { status }
    ThunderboltBridgeStatus { enabled, exists, service_name }
    MiscData { friendly_name }
    StaticNodeInformation { model, chip, os_version, os_build_version }
    NodeDiskUsage { disk_usage }
    DiskUsage { total, available }
    NodeBackends { backends }
    SocketConnection { sink_multiaddr }
    RdmaConnection { source_rdma_iface, sink_rdma_iface }
}

any_struct! {
    task::Step { task_id, task_status, instance_id }
    task::CreateRunner { task_id, task_status, instance_id, bound_instance }
    task::DownloadModel { task_id, task_status, instance_id, shard_metadata }
    task::TextGeneration { task_id, task_status, instance_id, command_id, task_params, error_type, error_message }
    task::CancelTask { task_id, task_status, instance_id, cancelled_task_id, runner_id }
    task::ImageGeneration { task_id, task_status, instance_id, command_id, task_params, error_type, error_message }
    task::ImageEdits { task_id, task_status, instance_id, command_id, task_params, error_type, error_message }
    task::Shutdown { task_id, task_status, instance_id, runner_id }
    InputMessage { role, content }
    TextGenerationTaskParams {
        model, input, instructions, max_output_tokens, temperature, top_p, stream, tools, bench, use_prefix_cache,
        top_k, stop, seed, chat_template_messages, reasoning_effort, enable_thinking, logprobs, top_logprobs, min_p,
        repetition_penalty, repetition_context_size, presence_penalty, frequency_penalty, images, image_hashes,
        prefill_endpoint,
    }
    ImageGenerationTaskParams {
        prompt, background, model, moderation, n, output_compression, output_format, partial_images, quality,
        response_format, size, stream, style, user, advanced_params, bench,
    }
    ImageEditsTaskParams {
        image_data, total_input_chunks, prompt, model, n, quality, output_format, response_format, size,
        image_strength, stream, partial_images, advanced_params, bench,
    }
    AdvancedImageParams { seed, num_inference_steps, guidance, negative_prompt, num_sync_steps }
}

any_struct! {
    RunnerLoading { layers_loaded, total_layers }
    RunnerReady { prefill_server_port }
    RunnerFailed { error_message, diagnostics }
    Diagnostics {}
    NoFiles {}
    DownloadPending { node_id, shard_metadata, model_directory, downloaded, total }
    DownloadOngoing { node_id, shard_metadata, model_directory, download_progress }
    DownloadCompleted { node_id, shard_metadata, model_directory, total, read_only }
    DownloadFailed { node_id, shard_metadata, model_directory, error_message }
    DownloadProgressData {
        total, downloaded, downloaded_this_session, completed_files, total_files, speed, eta_ms, files,
    }
    FileProgress {
        total, downloaded, downloaded_this_session, completed_files, total_files, speed, eta_ms, files,
    }
    PrefillProgressChunk { model, processed_tokens, total_tokens }
    TokenChunk {
        model, text, token_id, usage, finish_reason, stats, logprob, top_logprobs, is_thinking,
    }
    TopLogprobItem { token, logprob, bytes }
    Usage { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details }
    PromptTokensDetails { cached_tokens, audio_tokens }
    CompletionTokensDetails {
        reasoning_tokens, audio_tokens, accepted_prediction_tokens, rejected_prediction_tokens,
    }
    GenerationStats {
        prompt_tps, generation_tps, prompt_tokens, generation_tokens, peak_memory_usage, prefix_cache_hit,
    }
    ToolCallChunk { model, tool_calls, usage, finish_reason, stats }
    ToolCallItem { id, name, arguments }
    ErrorChunk { model, error_message, finish_reason, diagnostics }
    ImageChunk {
        model, data, chunk_index, total_chunks, image_index, is_partial, partial_index, total_partials, stats, format,
        finish_reason, error_message,
    }
    ImageGenerationStats {
        seconds_per_step, total_generation_time, num_inference_steps, num_images, image_width, image_height,
        peak_memory_usage,
    }
    InputImageChunk { model, command_id, data, chunk_index, total_chunks, image_index }
}

any_struct! {
    ModelCard {
        model_id, storage_size, n_layers, hidden_size, supports_tensor, num_key_value_heads, tasks, components,
        family, quantization, base_model, capabilities, backends, reasoning_dialect, context_length, uses_cfg,
        trust_remote_code, is_custom, vision, sampling_defaults,
    }
    ComponentInfo { component_name, component_path, storage_size, n_layers, can_shard, safetensors_index_filename }
    VisionCardConfig { image_token_id, model_type, weights_repo, image_token, processor_repo }
    SamplingValues {
        temperature, top_p, top_k, min_p, repetition_penalty, presence_penalty, frequency_penalty,
    }
    SamplingDefaults {
        temperature, top_p, top_k, min_p, repetition_penalty, presence_penalty, frequency_penalty, thinking,
        non_thinking,
    }
    Shard {
        model_card, device_rank, world_size, immediate_exception, should_timeout, start_layer, end_layer, n_layers,
    }
    CfgShard {
        model_card, device_rank, world_size, immediate_exception, should_timeout, start_layer, end_layer, n_layers,
        cfg_rank, cfg_world_size, pipeline_rank, pipeline_world_size,
    }
    MlxRingInstance { instance_id, shard_assignments, hosts_by_node, ephemeral_port }
    MlxJacclInstance { instance_id, shard_assignments, jaccl_devices, jaccl_coordinators }
    Host { ip, port }
    InstanceLink { link_id, prefill_instances, decode_instances }
}

impl Any for ShardAssignments {
    fn any(dice: &mut Dice) -> Self {
        let mut shards: BTreeMap<RunnerId, ShardMetadata> = dice.any();
        shards.insert(RunnerId::from_random(dice.bits().into()), dice.any());
        let runners: Vec<_> = shards.keys().filter(|runner| !runner.as_str().is_empty()).collect();
        let nodes: Vec<_> = dice.any();
        let node_to_runner =
            nodes.into_iter().map(|node| (node, runners[dice.below(runners.len())].clone())).collect();
        Self::new(dice.any(), shards.clone(), node_to_runner).unwrap()
    }
}

impl Any for BoundInstance {
    fn any(dice: &mut Dice) -> Self {
        let instance: Instance = dice.any();
        let runner = instance.shard_assignments().runner_to_shard().keys().next_back().unwrap().clone();
        Self::new(instance, runner, dice.any()).unwrap()
    }
}

impl Any for Steps {
    fn any(dice: &mut Dice) -> Self {
        Self::new(1 + dice.below(100) as u32).unwrap()
    }
}

impl Any for ElectionMessage {
    fn any(dice: &mut Dice) -> Self {
        Self {
            clock: dice.any(),
            // From one who does not stand to one who was told to lead.
            seniority: dice.below(1_000_002) as i64 - 1,
            proposed_session: dice.any(),
            commands_seen: dice.any(),
        }
    }
}

impl Any for event::TaskCreated {
    fn any(dice: &mut Dice) -> Self {
        Self::new(dice.any(), dice.any())
    }
}

impl Any for Connection {
    fn any(dice: &mut Dice) -> Self {
        loop {
            if let Some(connection) = Self::new(dice.any(), dice.any(), dice.any()) {
                return connection;
            }
        }
    }
}

impl Any for FileName {
    fn any(dice: &mut Dice) -> Self {
        dice.any::<String>().try_into().unwrap_or_else(|_| "model.safetensors".to_owned().try_into().unwrap())
    }
}

impl Any for OsVersion {
    fn any(dice: &mut Dice) -> Self {
        dice.any::<String>().into()
    }
}

impl Any for PlainAddress {
    fn any(dice: &mut Dice) -> Self {
        dice.any::<IpAddr>().into()
    }
}

/// Any JSON, no deeper than that.
fn json(dice: &mut Dice, depth: usize, nulls: bool) -> Value {
    let deeper = depth > 1;
    match dice.below(if deeper { 8 } else { 5 }) {
        0 if nulls => Value::Null,
        0 | 1 => dice.any::<bool>().into(),
        2 => dice.any::<String>().into(),
        3 => dice.any::<i64>().into(),
        4 => dice.any::<Amount>().get().into(),
        5 => (0..dice.below(3)).map(|_| json(dice, depth - 1, nulls)).collect(),
        // Straight down as often as not: otherwise nothing ever gets deep.
        6 => Value::Array(vec![json(dice, depth - 1, nulls)]),
        _ => object(dice, depth - 1, nulls).into(),
    }
}

fn object(dice: &mut Dice, depth: usize, nulls: bool) -> Map<String, Value> {
    if depth == 0 {
        return Map::new();
    }
    let keys = ["", "type", "properties", "a\"b", "漢"];
    (0..dice.below(3)).map(|_| (dice.one(&keys).to_owned(), json(dice, depth, nulls))).collect()
}

/// As deep as it may be.
fn abyss() -> Value {
    (1..MAX_DEPTH).fold(Value::Bool(true), |inside, _| Value::Array(vec![inside]))
}

impl Any for Tool {
    fn any(dice: &mut Dice) -> Self {
        let mut tool = object(dice, MAX_DEPTH, true);
        if dice.below(8) == 0 {
            tool.insert("abyss".into(), abyss());
        }
        tool.try_into().unwrap()
    }
}

impl Any for ChatTemplateMessage {
    fn any(dice: &mut Dice) -> Self {
        let mut message = object(dice, MAX_DEPTH, false);
        if dice.below(8) == 0 {
            message.insert("abyss".into(), abyss());
        }
        message.try_into().unwrap()
    }
}
