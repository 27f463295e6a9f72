//! Clusters to plan on.

mod desk;
mod devices;
mod handing_over;
mod plans;
