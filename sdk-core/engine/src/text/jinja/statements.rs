//! Reads statements.

use std::sync::Arc;

use super::Outcome;
use super::failure::Failure;
use super::lex::{self, Kind};
use super::parser::Parser;
use super::tree::{For, Macro, Statement, Target, Template, What};

pub(super) fn parse(source: &str) -> Outcome<Template> {
    let mut reader = Reader { parser: Parser::new(lex::tokens(source)?), macros: Vec::new() };
    let (body, _) = reader.statements(&[])?;
    Ok(Template { body, macros: reader.macros })
}

struct Reader {
    parser: Parser,
    macros: Vec<Macro>,
}

impl Reader {
    /// Statements up to one of these words, which is taken and returned. The rest of its tag is left.
    fn statements(&mut self, ends: &[&str]) -> Outcome<(Vec<Statement>, String)> {
        let mut all = Vec::new();
        loop {
            let line = self.parser.line();
            let what = match self.parser.take() {
                None if ends.is_empty() => return Ok((all, String::new())),
                None => return Err(self.parser.unexpected(ends[ends.len() - 1])),
                Some(Kind::Data(text)) => What::Text(text),
                Some(Kind::PrintStart) => {
                    let value = self.parser.tuple(true)?;
                    self.end_of_tag(&Kind::PrintEnd)?;
                    What::Print(value)
                }
                _ => {
                    let word = self.parser.name()?;
                    if ends.contains(&&*word) {
                        return Ok((all, word.to_string()));
                    }
                    if &*word == "generation" {
                        // It marks what a model is trained on, and changes no prompt but for its variables.
                        What::With { set: Vec::new(), body: self.body(&["endgeneration"])?.0 }
                    } else {
                        self.statement(&word, line)?
                    }
                }
            };
            all.push(Statement { line, what });
        }
    }

    fn end_of_tag(&mut self, end: &Kind) -> Outcome<()> {
        if self.parser.peek() != Some(end) {
            return Err(self.parser.unexpected("the end of the tag"));
        }
        self.parser.take();
        Ok(())
    }

    /// The rest of a tag, what follows it up to one of these words, and which it was.
    fn body(&mut self, ends: &[&str]) -> Outcome<(Vec<Statement>, String)> {
        self.end_of_tag(&Kind::BlockEnd)?;
        let read = self.inner(ends)?;
        if read.1.starts_with("end") {
            // Some write the name of a macro once more.
            if matches!(self.parser.peek(), Some(Kind::Name(_))) && read.1 == "endmacro" {
                self.parser.take();
            }
            self.end_of_tag(&Kind::BlockEnd)?;
        }
        Ok(read)
    }

    fn inner(&mut self, ends: &[&str]) -> Outcome<(Vec<Statement>, String)> {
        self.parser.deeper()?;
        let read = self.statements(ends);
        self.parser.shallower();
        read
    }

    fn statement(&mut self, word: &str, line: u32) -> Outcome<What> {
        Ok(match word {
            "if" => self.choice()?,
            "for" => self.repetition()?,
            "set" => self.assignment()?,
            "macro" => self.definition()?,
            "call" => {
                if self.parser.is_operator("(") {
                    return Err(Failure::from("call with parameters is not known here").at(line));
                }
                let call = self.parser.expression()?;
                What::Call { call, body: self.body(&["endcall"])?.0 }
            }
            "filter" => {
                let filters = self.filters()?;
                What::Filter { filters, body: self.body(&["endfilter"])?.0 }
            }
            "with" => {
                let mut set = Vec::new();
                while self.parser.peek() != Some(&Kind::BlockEnd) {
                    let target = self.parser.target()?;
                    self.parser.expect("=")?;
                    set.push((target, self.parser.expression()?));
                    self.parser.takes(",");
                }
                What::With { set, body: self.body(&["endwith"])?.0 }
            }
            "break" | "continue" => {
                self.end_of_tag(&Kind::BlockEnd)?;
                if word == "break" { What::Break } else { What::Continue }
            }
            other => return Err(Failure::from(format!("a tag {other}, which is not known here")).at(line)),
        })
    }

    fn choice(&mut self) -> Outcome<What> {
        let mut branches = Vec::new();
        loop {
            let test = self.parser.tuple(false)?;
            let (body, end) = self.body(&["elif", "else", "endif"])?;
            branches.push((test, body));
            match &*end {
                "elif" => {}
                "else" => return Ok(What::If { branches, otherwise: self.body(&["endif"])?.0 }),
                _ => return Ok(What::If { branches, otherwise: Vec::new() }),
            }
        }
    }

    fn repetition(&mut self) -> Outcome<What> {
        let target = self.parser.target()?;
        if !self.parser.takes_name("in") {
            return Err(self.parser.unexpected("in"));
        }
        let items = self.parser.tuple(false)?;
        let only_if = if self.parser.takes_name("if") { Some(self.parser.expression()?) } else { None };
        let (body, end) = self.body(&["else", "endfor"])?;
        let otherwise = if end == "else" { self.body(&["endfor"])?.0 } else { Vec::new() };
        Ok(What::For(Box::new(For { target, items, only_if, body, otherwise })))
    }

    fn assignment(&mut self) -> Outcome<What> {
        let target = self.parser.target()?;
        if self.parser.takes("=") {
            let value = self.parser.tuple(true)?;
            self.end_of_tag(&Kind::BlockEnd)?;
            return Ok(What::Set(target, value));
        }
        if matches!(target, Target::Several(_)) {
            return Err(self.parser.unexpected("="));
        }
        let filters = if self.parser.takes("|") { self.filters()? } else { Vec::new() };
        Ok(What::SetBlock { target, filters, body: self.body(&["endset"])?.0 })
    }

    fn filters(&mut self) -> Outcome<Vec<super::tree::Filter>> {
        let mut filters = vec![self.parser.filter()?];
        while self.parser.takes("|") {
            filters.push(self.parser.filter()?);
        }
        Ok(filters)
    }

    fn definition(&mut self) -> Outcome<What> {
        let name = self.parser.name()?;
        self.parser.expect("(")?;
        let mut parameters: Vec<(Arc<str>, _)> = Vec::new();
        while !self.parser.takes(")") {
            let parameter = self.parser.name()?;
            let default = if self.parser.takes("=") { Some(self.parser.expression()?) } else { None };
            parameters.push((parameter, default));
            if !self.parser.takes(",") && !self.parser.is_operator(")") {
                return Err(self.parser.unexpected("a comma or )"));
            }
        }
        let (body, _) = self.body(&["endmacro"])?;
        self.macros.push(Macro { name, parameters, body });
        Ok(What::Macro(self.macros.len() - 1))
    }
}
