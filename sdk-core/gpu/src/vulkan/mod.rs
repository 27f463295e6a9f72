//! The vulkan backend.
