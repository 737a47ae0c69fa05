//! Answers: what of the inside do the tests, benchmarks, fuzz targets, bindings and the playground of this crate use?
//!
//! Invariant: every name here is used by one of them; everything else is private to the crate.

/// The version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub mod text {
    pub use crate::syntax::text::{Position, Span};
}

pub mod fingerprint {
    pub use crate::syntax::fingerprint::Fingerprint;
}

pub mod field {
    pub use crate::syntax::field::{FieldPath, FieldPattern, Part, Step};
}

pub mod release {
    pub use crate::knowledge::release::{ApiVersion, Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};
}

#[cfg(feature = "cli")]
pub mod disk {
    pub use crate::shell::disk::{Record, is_place};
}

pub mod yaml {
    pub use crate::syntax::yaml::{
        Document, EditedText, FrontEnd, Intent, Naming, Place, Problem, ProblemCode, Rewrite, Style, Tree, find_node,
        locate, parse, parse_exact, read_value, rewrite, rewrite_document, scan,
    };
}

pub mod finding {
    pub use crate::engine::finding::{Code, Finding, Location, Severity};
}

pub mod catalog {
    pub use crate::knowledge::catalog::{Attributes, Catalog, Field, ListType, Scope, Type, ViolationKind, compile};
}

pub mod lens {
    pub use crate::knowledge::lens::{
        CONVERSIONS, Claims, Context, Description, Direction, Form, Halt, Image, Lens, OPERATIONS, Session,
    };
}

pub mod crd_check {
    pub use crate::authoring::crd_check::{Bump, Class, Comparison, CrdSet, Policy, ReleaseStep, Releases, check};
}

pub mod suggest {
    pub use crate::authoring::suggest::{Between, Sort, Suggestion, between};
}

pub mod manifest {
    pub use crate::engine::manifest::{Manifest, Reading, Recognizer, read};
}

pub mod pack {
    pub use crate::knowledge::pack::{About, AdvisoryScope, KindTracker, Pack, PackFiles, Packs, Rule, Target};
    pub mod build {
        pub use crate::authoring::build::{build, stale};
        pub use crate::knowledge::pack::crds::PlacedCrd;
        pub mod own {
            pub use crate::knowledge::pack::crds::own::OwnCrds;
        }
    }

    pub mod embedded {
        pub use crate::knowledge::pack::embedded::with;
    }

    pub mod lint {
        pub use crate::authoring::lint::{Coverage, Share, coverage, is_shown, lint, removals};
    }

    pub mod load {
        pub use crate::authoring::pack_folder::{FIXTURES, list_folder, read_files, read_folder, read_texts};
        pub use crate::knowledge::pack::load::load;
    }

    pub mod matrix {
        pub use crate::authoring::matrix::{Change, Cost, Subject, matrix};
    }

    pub mod wire {
        pub use crate::knowledge::pack::wire::{PackFile, ParameterValues, RuleFile};
    }
}

pub mod infer {
    pub use crate::engine::infer::infer;
    pub mod crds {
        pub use crate::engine::infer::crds::{Installed, crds_in, installed};
    }

    pub mod install_evidence {
        pub use crate::engine::infer::install_evidence::Installations;
    }
}

pub mod canonical {
    use crate::engine::canonical::Canonicalizer;
    use crate::knowledge::pack::{Packs, Target};

    /// Makes what converts to `target`, which is of one of `packs`.
    pub fn canonicalizer(packs: &'static Packs, target: Target<'static>) -> Canonicalizer {
        Canonicalizer::with(packs, target)
    }
}

pub mod edits {
    pub use crate::engine::edits::FilePlan;
}

pub mod plan {
    pub use crate::engine::plan::{
        ANNOTATION, AllowedLoss, Choices, FileSurvey, Goal, Ignored, Keeping, MAX_STASH, ObjectPlan, Outcome, Plan,
        Planner, Record, RunAdvisory, Schema, Scope, Sides, Surveyor, Templates, allowed_losses, plan, plan_alone,
        plan_files, recognizer,
    };
}

pub mod fixture {
    pub use crate::authoring::fixture::{Fixture, missing, of_pack};
}

pub mod report {
    pub use crate::shell::report::{
        Counts, Detected, Detection, Fate, Painter, Report, Written, one_of, visible, visible_lines,
    };
    pub mod changes {
        pub use crate::shell::report::changes::by_object;
    }

    pub mod diff {
        pub use crate::shell::report::diff::{Paint, unified};
    }

    pub mod document {
        pub use crate::shell::report::document::{FindingRecord, ObjectRecord, RanIn, ReportDocument};
    }

    pub mod github {
        pub use crate::shell::report::github::commands;
    }

    pub mod gitlab {
        pub use crate::shell::report::gitlab::report;
    }

    pub mod json {
        pub use crate::shell::report::json::{detection, lines, report};
    }

    pub mod junit {
        pub use crate::shell::report::junit::report;
    }

    pub mod address {
        pub use crate::shell::report::address::{BOOK, of, of_operation, of_word, part_of_word};
    }

    pub mod markdown {
        pub use crate::shell::report::markdown::{COMMENT, STEP_SUMMARY, report};
    }

    pub mod merge_reports {
        pub use crate::shell::report::merge_reports::parse;
    }

    #[cfg(feature = "cli")]
    pub mod plain {
        pub use crate::shell::report::grouped::Shown;
        pub use crate::shell::report::plain::report;
    }

    pub mod sarif {
        pub use crate::shell::report::sarif::report;
    }

    pub mod saved_plan {
        pub use crate::shell::report::saved_plan::SavedPlan;
    }

    pub mod text_format {
        pub use crate::shell::report::text_format::{advisories, summary};
    }
}

#[cfg(feature = "cli")]
pub mod cli {
    pub use crate::shell::cli::{GLOSSARY, run};
}
