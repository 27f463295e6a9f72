//! What a build of exo takes, as a tree of rules.

use crate::topic::Topic;

/// What one build's parser demands of the messages of each topic.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) named: Vec<Named>,
    pub(crate) topics: [usize; Topic::ALL.len()],
}

impl Rules {
    /// The model of a topic's messages.
    pub(crate) fn of(&self, topic: Topic) -> Option<&Model> {
        let place = Topic::ALL.iter().position(|other| *other == topic)?;
        match self.named.get(*self.topics.get(place)?)? {
            Named::Class(model) => Some(model),
            Named::Rule(_) => None,
        }
    }
}

/// What has a name in exo's schemas.
#[derive(Debug, PartialEq)]
pub(crate) enum Named {
    /// A class with fields.
    Class(Model),
    /// A type that may contain itself.
    Rule(Rule),
}

/// A class of exo's.
#[derive(Debug, PartialEq)]
pub(crate) struct Model {
    /// Its name, which is also its tag.
    pub(crate) name: Box<str>,
    /// Written as `{"Name": {...}}`. Read so, and without the name too.
    pub(crate) tagged: bool,
    /// exo has two kinds of class. A closed one forbids unknown keys, converts nothing and knows each field by a second
    /// name in camel case. An open one skips unknown keys, converts (`"5"` is a number) and has one name for a field.
    pub(crate) closed: bool,
    pub(crate) fields: Vec<Field>,
    /// Keys that exo writes in it but does not read.
    pub(crate) also_written: Vec<Box<str>>,
    pub(crate) holds: Vec<Invariant>,
}

/// A field of a class.
#[derive(Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: Box<str>,
    /// The second name, where it differs.
    pub(crate) camel: Option<Box<str>>,
    pub(crate) required: bool,
    pub(crate) rule: Rule,
}

/// What a value has to be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rule {
    Anything,
    Null,
    Bool,
    Text,
    /// A multiaddr in one of exo's forms.
    Multiaddr,
    Int {
        min: i128,
        max: i128,
    },
    Float {
        min: f64,
        max: f64,
    },
    OneOf(Box<[Box<str>]>),
    List(Box<Rule>),
    /// exo writes a list and wants a tuple back, which no JSON value is.
    Tuple(Box<Rule>),
    /// Names that exo collects with a `for` loop: from a list, but as well from an object's keys or a string's
    /// characters.
    Iterated(Box<[Box<str>]>),
    Table {
        whole_number_keys: bool,
        value: Box<Rule>,
    },
    /// What has that place among the named.
    Named(usize),
    /// Any of several.
    Union(Box<[Rule]>),
}

/// What holds between the fields of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Invariant {
    /// Every runner of `node_to_runner` has a shard in `runner_to_shard`.
    RunnersHaveShards,
    /// `bound_runner_id` has a shard in the instance.
    BoundRunnerHasShard,
    /// The system can look for a directory named after `model_id`, unless `vision` is given.
    IdNamesAFile,
}
