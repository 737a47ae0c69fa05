//! The pictures in `docs/src/pictures` show what the program prints on a terminal.
//!
//! Each is made of one command line, which runs in `fixtures/repos/shop-1.0-experimental` and writes nothing. With `REVERSION_WRITE_BLOCKS=1` the
//! pictures are made anew: look at them.

use std::fs;

use anstyle::RgbColor;
use anstyle_svg::Term;

use crate::support::{program, root};

/// A picture: its name, and the arguments of the program.
const PICTURES: &[(&str, &[&str])] =
    &[("detect", &["detect", "apps"]), ("diff", &["diff", "--to", "gateway-api@1.6/experimental", "apps/base/orders"])];

/// The colors of a terminal on dark ground, each with a contrast of at least 4.5 to it, normal and bright.
const PALETTE: [(u8, u8, u8); 8] = [
    (72, 79, 88),
    (255, 123, 114),
    (86, 211, 100),
    (227, 179, 65),
    (121, 192, 255),
    (210, 168, 255),
    (86, 212, 221),
    (230, 237, 243),
];

fn terminal() -> Term {
    let colors = PALETTE.map(|(red, green, blue)| RgbColor(red, green, blue));
    let colors: Vec<RgbColor> = colors.iter().chain(&colors).copied().collect();
    let palette: [RgbColor; 16] = colors.try_into().expect("eight colors twice");
    Term::new()
        .palette(palette.into())
        .fg_color(RgbColor(230, 237, 243).into())
        .bg_color(RgbColor(13, 17, 23).into())
        .min_width_px(720)
}

#[test]
fn the_pictures_show_what_the_program_prints() {
    let root = root();
    for (name, arguments) in PICTURES {
        let output = program()
            .args(*arguments)
            .args(["--color", "always"])
            .current_dir(root.join("fixtures/repos/shop-1.0-experimental"))
            .output()
            .unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let text =
            format!("\u{1b}[1m$ reversion {}\u{1b}[0m\n{}", arguments.join(" "), String::from_utf8(printed).unwrap());
        let picture = terminal().render_svg(&text);
        let file = root.join(format!("docs/src/pictures/{name}.svg"));
        if std::env::var_os("REVERSION_WRITE_BLOCKS").is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &picture).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), picture, "docs/src/pictures/{name}.svg is another picture");
    }
}
