//! x
use exo_wire::builds;
fn main() {
    let export = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let facts: builds::Facts = serde_json::from_str(&std::env::args().nth(2).unwrap()).unwrap();
    println!("{}", builds::learn(facts, &export).unwrap());
}
