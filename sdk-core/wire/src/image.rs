//! What is asked of an image model.

use serde::{Deserialize, Serialize};

use crate::{
    count::Count,
    finite::{Amount, Finite},
    model_id::ModelId,
};

/// Paint this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImageGenerationTaskParams {
    /// What to paint.
    pub prompt: String,
    /// The background.
    pub background: Option<String>,
    /// Who paints. exo takes any string here.
    pub model: ModelId,
    /// How strict to be.
    pub moderation: Option<String>,
    /// How many.
    pub n: Option<u32>,
    /// Percent.
    pub output_compression: Option<u32>,
    /// The format.
    #[serde(default)]
    pub output_format: ImageFormat,
    /// How many sketches.
    pub partial_images: Option<u32>,
    /// How well.
    pub quality: Option<ImageQuality>,
    /// How to answer.
    pub response_format: Option<ImageResponse>,
    /// How large.
    #[serde(default)]
    pub size: ImageSize,
    /// Whether to send sketches.
    pub stream: Option<bool>,
    /// In which style.
    pub style: Option<String>,
    /// For whom.
    pub user: Option<String>,
    /// For those who know.
    pub advanced_params: Option<AdvancedImageParams>,
    /// Whether it is a benchmark.
    #[serde(default)]
    pub bench: bool,
}

/// Paint over this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImageEditsTaskParams {
    /// The image, base64; empty when it comes in chunks.
    #[serde(default)]
    pub image_data: String,
    /// How many chunks come.
    #[serde(default)]
    pub total_input_chunks: u32,
    /// What to paint.
    pub prompt: String,
    /// Who paints.
    pub model: ModelId,
    /// How many.
    pub n: Option<u32>,
    /// How well.
    pub quality: Option<ImageQuality>,
    /// The format.
    #[serde(default)]
    pub output_format: ImageFormat,
    /// How to answer.
    pub response_format: Option<ImageResponse>,
    /// How large.
    #[serde(default)]
    pub size: ImageSize,
    /// How much of the old image stays.
    pub image_strength: Option<Amount>,
    /// Whether to send sketches.
    #[serde(default)]
    pub stream: bool,
    /// How many sketches.
    pub partial_images: Option<u32>,
    /// For those who know.
    pub advanced_params: Option<AdvancedImageParams>,
    /// Whether it is a benchmark.
    #[serde(default)]
    pub bench: bool,
}

/// For those who know how an image model works.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AdvancedImageParams {
    /// Where chance begins.
    pub seed: Option<Count>,
    /// How many steps.
    pub num_inference_steps: Option<Steps>,
    /// How closely to follow the prompt.
    pub guidance: Option<Guidance>,
    /// What not to paint.
    pub negative_prompt: Option<String>,
    /// How many steps in step with the others.
    pub num_sync_steps: Option<Steps>,
}

/// A number of steps, 1 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u32")]
pub struct Steps(u32);

impl Steps {
    /// So many, if that is 1 to 100.
    pub fn new(steps: u32) -> Option<Self> {
        (1..=100).contains(&steps).then_some(Self(steps))
    }

    /// How many.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for Steps {
    type Error = &'static str;

    fn try_from(steps: u32) -> Result<Self, Self::Error> {
        Self::new(steps).ok_or("not 1 to 100 steps")
    }
}

/// How closely to follow the prompt, 1 to 20.
pub type Guidance = Finite<1, 20>;

/// An image file's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormat {
    /// PNG.
    #[default]
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
}

/// How well to paint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageQuality {
    /// Slowly.
    High,
    /// In between.
    #[default]
    Medium,
    /// Fast.
    Low,
}

/// How an image is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageResponse {
    /// By an address.
    Url,
    /// In the answer.
    #[default]
    B64Json,
}

/// How large an image is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ImageSize {
    /// As the model likes.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// 512 x 512.
    #[serde(rename = "512x512")]
    Square512,
    /// 768 x 768.
    #[serde(rename = "768x768")]
    Square768,
    /// 1024 x 768.
    #[serde(rename = "1024x768")]
    Wide1024,
    /// 768 x 1024.
    #[serde(rename = "768x1024")]
    Tall1024,
    /// 1024 x 1024.
    #[serde(rename = "1024x1024")]
    Square1024,
    /// 1024 x 1536.
    #[serde(rename = "1024x1536")]
    Tall1536,
    /// 1536 x 1024.
    #[serde(rename = "1536x1024")]
    Wide1536,
}
