//! The beginning: which files there are, which of them are needed, and whether there is room.

use std::collections::BTreeMap;

use super::{Download, Stage, on_disk};
use crate::{
    Error, Head, Result, Transfer,
    choice::{INDEX, MAX_INDEX_BYTES, chosen, shards},
    download::{Disk, answer::Failure, piece::Piece},
    list::{Listed, MAX_PAGES},
};

impl Download {
    pub(super) fn list_began(&mut self, head: &Head) -> Result<()> {
        let next = head.header("Link").and_then(|link| self.source.next_page(link)).transpose();
        let next = next.map_err(|why| self.bad_list(why))?;
        if let Stage::Listing(listing) = &mut self.stage {
            listing.next = next;
            listing.body.clear();
            if let Some(commit) = head.header("X-Repo-Commit").filter(|commit| is_commit(commit)) {
                // The branch may move while we fetch; the commit does not.
                self.revision = commit.into();
            }
        }
        Ok(())
    }

    /// The last byte of a page of the list came.
    pub(super) fn page_ended(&mut self, id: Transfer, disk: &mut dyn Disk) -> Result<()> {
        let Stage::Listing(listing) = &mut self.stage else { return Ok(()) };
        let body = std::mem::take(&mut listing.body);
        let mut list = self.list.clone();
        if let Err(why) = list.add_page(&body) {
            // A list that was cut looks like one that is wrong.
            return self.failed(id, Failure::bad(why));
        }
        self.list = list;
        self.calls.remove(&id);
        listing.pages += 1;
        match listing.next.take() {
            Some(_) if listing.pages >= MAX_PAGES => Err(self.bad_list("the list of files does not end")),
            Some(page) => {
                (listing.page, listing.ask_at) = (page, Some(self.now));
                Ok(())
            }
            None => self.listed(disk),
        }
    }

    fn listed(&mut self, disk: &mut dyn Disk) -> Result<()> {
        let Some(index) = self.list.get(INDEX) else { return self.plan(None, disk) };
        if index.size > MAX_INDEX_BYTES {
            return Err(self
                .bad_list(&format!("{INDEX} has {} bytes, and {MAX_INDEX_BYTES} are allowed", index.size)));
        }
        // Without the rest of the model there is no use for it.
        chosen(&self.list, None).map_err(|why| self.not_a_model(why))?;
        self.pieces = vec![self.survey(INDEX, index, disk)?];
        self.stage = Stage::Index;
        Ok(())
    }

    /// Everything is known: what is there, what is missing, and whether there is room for it.
    pub(super) fn plan(&mut self, index: Option<&[u8]>, disk: &mut dyn Disk) -> Result<()> {
        let shards = index.map(shards).transpose().map_err(|why| self.not_a_model(why))?;
        let names = chosen(&self.list, shards.as_ref()).map_err(|why| self.not_a_model(why))?;
        let files: BTreeMap<String, Listed> =
            names.iter().filter_map(|name| Some((name.clone(), self.list.get(name)?))).collect();
        // The index came before anybody knew what else there is.
        let index_fresh = self.pieces.first().map_or(0, |piece| piece.fresh);
        let mut pieces = Vec::with_capacity(names.len());
        for name in &names {
            if let Some(listed) = files.get(name) {
                let mut piece = self.survey(name, *listed, disk)?;
                piece.fresh = if name == INDEX { index_fresh } else { 0 };
                pieces.push(piece);
            }
        }
        let needed: u64 = pieces.iter().map(|piece| piece.listed.size - piece.there).sum();
        let reserve = self.options.reserve;
        if let Some(free) =
            disk.free_bytes().filter(|free| needed > 0 && needed.saturating_add(reserve) > *free)
        {
            return Err(Error::OutOfSpace { path: disk.place().into(), needed, free, reserve });
        }
        disk.remember(&files).map_err(|error| on_disk(disk, &error))?;
        self.pieces = pieces;
        self.stage = Stage::Files;
        Ok(())
    }

    fn survey(&self, name: &str, listed: Listed, disk: &mut dyn Disk) -> Result<Piece> {
        let known = disk.recall().get(name).copied();
        Piece::survey(self.now, name, listed, known.as_ref(), disk).map_err(|error| on_disk(disk, &error))
    }

    pub(super) fn bad_list(&self, why: &str) -> Error {
        Error::BadAnswer { what: self.source.model().to_string(), why: why.into() }
    }

    fn not_a_model(&self, why: String) -> Error {
        Error::NotAModel { model: self.source.model().to_string(), why }
    }
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit())
}
