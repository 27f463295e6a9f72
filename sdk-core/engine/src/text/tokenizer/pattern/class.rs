//! Sets of characters.

use unicode_general_category::{GeneralCategory, get_general_category};

/// Characters by ranges and by what Unicode says of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    items: Vec<Item>,
    is_negated: bool,
    ignores_case: bool,
    /// The answers for ASCII, one bit each, since most text is that.
    ascii: u128,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Range(char, char),
    /// Any of these categories, as bits.
    Categories(u32),
    Space,
    Not(Box<Item>),
}

impl Class {
    pub(super) fn new(items: Vec<Item>, is_negated: bool, ignores_case: bool) -> Self {
        let mut class = Self { items, is_negated, ignores_case, ascii: 0 };
        class.ascii = (0..128u8).filter(|&c| class.look(char::from(c))).fold(0, |bits, c| bits | 1 << c);
        class
    }

    pub(super) fn has(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii >> u32::from(c) & 1 == 1 } else { self.look(c) }
    }

    fn look(&self, c: char) -> bool {
        let within = |c: char| self.items.iter().any(|item| item.has(c));
        let found = within(c)
            || (self.ignores_case && (within(lower(c)) || within(upper(c)) || within(lower(upper(c)))));
        found != self.is_negated
    }
}

impl Item {
    fn has(&self, c: char) -> bool {
        match self {
            Self::Range(first, last) => (*first..=*last).contains(&c),
            Self::Categories(bits) => bits >> bit(get_general_category(c)) & 1 == 1,
            Self::Space => c.is_whitespace(),
            Self::Not(item) => !item.has(c),
        }
    }

    /// The characters that words are made of.
    pub(super) fn word() -> Self {
        let bits =
            ["L", "M", "Nd", "Pc"].iter().filter_map(|name| categories(name)).fold(0, |all, bits| all | bits);
        Self::Categories(bits)
    }
}

// Where case changes the number of characters, a character has no single counterpart and stays as it is.
fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    all.next().filter(|_| all.next().is_none()).unwrap_or(c)
}

fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    all.next().filter(|_| all.next().is_none()).unwrap_or(c)
}

const NAMES: [(&str, GeneralCategory); 30] = {
    use GeneralCategory as G;
    [
        ("Lu", G::UppercaseLetter),
        ("Ll", G::LowercaseLetter),
        ("Lt", G::TitlecaseLetter),
        ("Lm", G::ModifierLetter),
        ("Lo", G::OtherLetter),
        ("Mn", G::NonspacingMark),
        ("Mc", G::SpacingMark),
        ("Me", G::EnclosingMark),
        ("Nd", G::DecimalNumber),
        ("Nl", G::LetterNumber),
        ("No", G::OtherNumber),
        ("Pc", G::ConnectorPunctuation),
        ("Pd", G::DashPunctuation),
        ("Ps", G::OpenPunctuation),
        ("Pe", G::ClosePunctuation),
        ("Pi", G::InitialPunctuation),
        ("Pf", G::FinalPunctuation),
        ("Po", G::OtherPunctuation),
        ("Sm", G::MathSymbol),
        ("Sc", G::CurrencySymbol),
        ("Sk", G::ModifierSymbol),
        ("So", G::OtherSymbol),
        ("Zs", G::SpaceSeparator),
        ("Zl", G::LineSeparator),
        ("Zp", G::ParagraphSeparator),
        ("Cc", G::Control),
        ("Cf", G::Format),
        ("Cs", G::Surrogate),
        ("Co", G::PrivateUse),
        ("Cn", G::Unassigned),
    ]
};

fn bit(category: GeneralCategory) -> u32 {
    NAMES.iter().position(|&(_, other)| other == category).map_or(31, |at| at as u32)
}

/// The categories of a name such as `L` or `Lu`.
pub(super) fn categories(name: &str) -> Option<u32> {
    let bits = (0u32..)
        .zip(NAMES)
        .filter(|(_, (full, _))| full.starts_with(name))
        .fold(0, |bits, (at, _)| bits | 1 << at);
    Some(bits).filter(|&bits| bits != 0 && !name.is_empty())
}
