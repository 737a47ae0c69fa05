//! Answers: what of the inside do the tests, benchmarks, fuzz targets and the playground of this crate use?
//!
//! Invariant: every name here is used by one of them; everything else is private to the crate.

pub mod text {
    pub use crate::text::{Position, Span};
}

pub mod fingerprint {
    pub use crate::fingerprint::Fingerprint;
}

pub mod field {
    pub use crate::field::{FieldPath, FieldPattern, Part, Step};
}

pub mod release {
    pub use crate::release::{ApiVersion, Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};
}

#[cfg(feature = "cli")]
pub mod disk {
    pub use crate::disk::{Record, is_place};
}

pub mod yaml {
    pub use crate::yaml::{
        Document, EditedText, FrontEnd, Intent, Naming, Place, Problem, ProblemCode, Rewrite, Style, Tree, find_node,
        locate, parse, parse_exact, read_value, rewrite, rewrite_document, scan,
    };
}

pub mod finding {
    pub use crate::finding::{Code, Finding, Location, Severity};
}

pub mod catalog {
    pub use crate::catalog::{Attributes, Catalog, Field, ListType, Scope, Type, ViolationKind, compile};
}

pub mod lens {
    pub use crate::lens::{CONVERSIONS, Claims, Description, Direction, Form, Halt, Lens, OPERATIONS, Session};
}

pub mod manifest {
    pub use crate::manifest::{Manifest, Reading, Recognizer, read};
}

pub mod pack {
    pub use crate::pack::{About, AdvisoryScope, KindTracker, Pack, PackFiles, Packs, Rule, Target};
    pub mod build {
        pub use crate::pack::build::{PlacedCrd, build, stale};
        pub mod own {
            pub use crate::pack::build::own::OwnCrds;
        }
    }

    pub mod embedded {
        pub use crate::pack::embedded::with;
    }

    pub mod lint {
        pub use crate::pack::lint::{Coverage, Share, coverage, is_shown, lint};
    }

    pub mod load {
        pub use crate::pack::load::{FIXTURES, list_folder, load, read_folder, read_texts};
    }

    pub mod matrix {
        pub use crate::pack::matrix::{Change, Cost, Subject, matrix};
    }

    pub mod wire {
        pub use crate::pack::wire::{PackFile, ParameterValues, RuleFile};
    }
}

pub mod infer {
    pub use crate::infer::infer;
    pub mod crds {
        pub use crate::infer::crds::{Installed, crds_in, installed};
    }

    pub mod install_evidence {
        pub use crate::infer::install_evidence::evidence_in;
    }
}

pub mod edits {
    pub use crate::edits::FilePlan;
}

pub mod plan {
    pub use crate::plan::{
        ANNOTATION, AllowedLoss, Choices, FileSurvey, Goal, Ignored, Keeping, MAX_STASH, ObjectPlan, Outcome, Plan,
        Planner, Record, RunAdvisory, Schema, Scope, Sides, Surveyor, plan, plan_files, recognizer,
    };
}

pub mod fixture {
    pub use crate::fixture::{Fixture, missing, of_pack};
}

pub mod report {
    pub use crate::report::{
        Counts, Detected, Detection, Fate, Painter, Report, Written, one_of, visible, visible_lines,
    };
    pub mod changes {
        pub use crate::report::changes::by_object;
    }

    pub mod diff {
        pub use crate::report::diff::{Paint, unified};
    }

    pub mod document {
        pub use crate::report::document::Document;
    }

    pub mod github {
        pub use crate::report::github::commands;
    }

    pub mod gitlab {
        pub use crate::report::gitlab::report;
    }

    pub mod json {
        pub use crate::report::json::{lines, report};
    }

    pub mod junit {
        pub use crate::report::junit::report;
    }

    pub mod markdown {
        pub use crate::report::markdown::{COMMENT, STEP_SUMMARY, report};
    }

    pub mod merge_reports {
        pub use crate::report::merge_reports::parse;
    }

    pub mod plain {
        pub use crate::report::plain::findings;
    }

    pub mod sarif {
        pub use crate::report::sarif::report;
    }

    pub mod saved_plan {
        pub use crate::report::saved_plan::SavedPlan;
    }

    pub mod text_format {
        pub use crate::report::text_format::{advisories, summary};
    }
}

#[cfg(feature = "cli")]
pub mod cli {
    pub use crate::cli::{GLOSSARY, run};
}
