//! Tests of the library and the program, one module for each subject: `cargo test --test it followed_versions::`.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod acknowledged;
mod adoption;
mod advisories;
mod api_versions;
mod applied_components;
mod architecture;
mod arguments;
mod canonical;
mod catalog;
mod chart_files;
mod core_group;
mod crash;
mod crd_check;
mod crds;
mod created_objects;
mod detect;
mod files_from;
mod followed_versions;
mod formats;
#[cfg(unix)]
mod function;
mod fuzz_engine;
mod gateway_api;
mod helm;
mod hostile;
mod html;
mod html_browser;
mod ignored;
mod keep_going;
mod lint;
mod moved_groups;
mod named_files;
mod over_releases;
mod pack_mistakes;
mod pack_values;
mod package;
#[cfg(unix)]
mod packaging;
mod patched_values;
mod patches_inside;
mod pictures;
mod plan_schema;
mod planning;
mod real;
mod reference;
mod releases;
mod report_formats;
mod report_schema;
mod report_texts;
mod reported;
mod repos;
mod settings;
mod shards;
mod spellings;
mod stash;
mod structure;
#[path = "../support/mod.rs"]
mod support;
#[cfg(unix)]
mod template_constraints;
mod template_defaults;
mod template_forms;
mod template_functions;
mod template_guards;
mod template_libraries;
mod template_moves;
mod template_objects;
mod template_open;
mod template_pairs;
mod template_printed;
mod template_printed_fields;
mod template_ranges;
mod template_types;
mod template_values;
mod templates;
mod terminal;
mod text_report;
mod to_be_done;
mod undo;
mod validations;
mod variables;
mod yaml_cases;
mod yaml_encodings;
mod yaml_front_end;
mod yaml_kubectl;
mod yaml_laws;
mod yaml_limits;
mod yaml_matrix;
mod yaml_suite;

/// That of the program; the one of glibc is slower.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
