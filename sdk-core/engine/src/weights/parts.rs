//! The parts of a model, of whatever kind: found in files, or loaded.

/// The parts of the layers that are run here, and of the ends where they are run here too. `M` may be several matrices
/// over one input.
#[derive(Clone, Debug)]
pub(crate) struct Parts<M, V> {
    /// The embedding table: for the first layer, and for the head where it is tied.
    pub(crate) embedding: Option<M>,
    pub(crate) reminders: Option<ReminderParts<M, V>>,
    pub(crate) layers: Vec<LayerParts<M, V>>,
    /// The last norm.
    pub(crate) norm: Option<V>,
    /// The output matrix, where it is not the embedding table.
    pub(crate) head: Option<M>,
}

/// What makes the reminders of all layers: the table, and a projection of the embeddings with its norm.
#[derive(Clone, Debug)]
pub(crate) struct ReminderParts<M, V> {
    pub(crate) table: M,
    pub(crate) projection: M,
    pub(crate) norm: V,
}

/// The parts of one layer.
#[derive(Clone, Debug)]
pub(crate) struct LayerParts<M, V> {
    pub(crate) mixer_norm: V,
    pub(crate) mixer: MixerParts<M, V>,
    pub(crate) output: M,
    pub(crate) norm_behind_attention: Option<V>,
    pub(crate) mlp_norm: V,
    /// Gate and up.
    pub(crate) gate_up: M,
    pub(crate) down: M,
    pub(crate) norm_behind_mlp: Option<V>,
    pub(crate) reminder: Option<ReminderGate<M, V>>,
    /// One number, repeated for every element of the stream.
    pub(crate) scalar: Option<V>,
}

/// What mixes the tokens of a layer.
#[derive(Clone, Debug)]
pub(crate) enum MixerParts<M, V> {
    Attention(AttentionParts<M, V>),
    Delta(DeltaParts<M, V>),
}

/// The parts of attention, up to its output.
#[derive(Clone, Debug)]
pub(crate) struct AttentionParts<M, V> {
    /// Queries, keys and values, and the gate where there is one; without keys and values where a layer reads those of
    /// another.
    pub(crate) inputs: M,
    pub(crate) query_norm: Option<V>,
    pub(crate) key_norm: Option<V>,
    /// Ones: a norm without a weight.
    pub(crate) value_norm: Option<V>,
}

/// The parts of a layer with a state, up to its output.
#[derive(Clone, Debug)]
pub(crate) struct DeltaParts<M, V> {
    /// Queries, keys and values as one; the gate; strengths; decays.
    pub(crate) inputs: M,
    /// The convolution's weight, `[taps, channels]`.
    pub(crate) taps: V,
    /// Of each head the rate of its decay, and then its bias.
    pub(crate) constants: V,
    pub(crate) norm: V,
}

/// What lets a reminder into a layer.
#[derive(Clone, Debug)]
pub(crate) struct ReminderGate<M, V> {
    pub(crate) gate: M,
    pub(crate) projection: M,
    pub(crate) norm: V,
}

impl<M, V> Parts<M, V> {
    /// The ends of the model: all but its layers.
    pub(crate) fn ends(&self) -> (Vec<&M>, Vec<&V>) {
        let reminders = self.reminders.iter();
        let matrices = self.embedding.iter().chain(&self.head);
        let matrices = matrices.chain(reminders.clone().flat_map(|r| [&r.table, &r.projection])).collect();
        (matrices, self.norm.iter().chain(reminders.map(|r| &r.norm)).collect())
    }
}

impl<M, V> LayerParts<M, V> {
    /// Calls `matrix` and `vector` for every part.
    pub(crate) fn try_map<N, W, E>(
        &self,
        matrix: &mut impl FnMut(&M) -> Result<N, E>,
        vector: &mut impl FnMut(&V) -> Result<W, E>,
    ) -> Result<LayerParts<N, W>, E> {
        let mut maybe = |part: &Option<V>| part.as_ref().map(&mut *vector).transpose();
        let norm_behind_attention = maybe(&self.norm_behind_attention)?;
        let norm_behind_mlp = maybe(&self.norm_behind_mlp)?;
        let scalar = maybe(&self.scalar)?;
        let mixer = match &self.mixer {
            MixerParts::Attention(parts) => MixerParts::Attention(AttentionParts {
                query_norm: maybe(&parts.query_norm)?,
                key_norm: maybe(&parts.key_norm)?,
                value_norm: maybe(&parts.value_norm)?,
                inputs: matrix(&parts.inputs)?,
            }),
            MixerParts::Delta(parts) => MixerParts::Delta(DeltaParts {
                inputs: matrix(&parts.inputs)?,
                taps: vector(&parts.taps)?,
                constants: vector(&parts.constants)?,
                norm: vector(&parts.norm)?,
            }),
        };
        let reminder = match &self.reminder {
            Some(ReminderGate { gate, projection, norm }) => Some(ReminderGate {
                gate: matrix(gate)?,
                projection: matrix(projection)?,
                norm: vector(norm)?,
            }),
            None => None,
        };
        Ok(LayerParts {
            mixer_norm: vector(&self.mixer_norm)?,
            mixer,
            output: matrix(&self.output)?,
            norm_behind_attention,
            mlp_norm: vector(&self.mlp_norm)?,
            gate_up: matrix(&self.gate_up)?,
            down: matrix(&self.down)?,
            norm_behind_mlp,
            reminder,
            scalar,
        })
    }
}
