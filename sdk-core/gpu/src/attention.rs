//! Attention over a paged cache: one call for prefill, for decoding several sequences at once, and for both mixed.
//!
//! A sequence's positions live in pages of `page` rows of the cache, anywhere in it; its *table* lists the pages in
//! order. Sequences that begin alike may share pages. The tables of all sequences lie one after the other in `pages`,
//! and each token says where its sequence's table begins and which position it has.

use crate::{Cache, Tensor, op::Access};

/// What attention reads and writes. See [`Batch::attention`](crate::Batch::attention).
#[derive(Clone, Copy, Debug)]
pub struct Attention<T, C = Cache<T>> {
    /// The tokens' queries: `[tokens, heads, head]`, f32; `head` a multiple of 4, at most 512.
    pub q: T,
    /// Keys: `[cache rows, kv heads, head]`. Head `h` of `q` reads head `h / (heads / kv heads)`.
    pub keys: C,
    /// Values, of the keys' dimensions and kind.
    pub values: C,
    /// The tables of pages, one after the other, u32.
    pub pages: T,
    /// For each token, where its table begins in `pages`, and its position: `[tokens, 2]`, u32.
    pub rows: T,
    /// Rows of a page: position `j` is row `pages[first + j / page] * page + j % page` of the cache.
    pub page: u32,
    /// What scores are multiplied by before the softmax.
    pub scale: f32,
    /// How many positions a token sees, its own included; all up to its own where there is none.
    pub window: Option<u32>,
    /// The result, like `q`.
    pub y: T,
}

impl Attention<&Tensor, &Cache<Tensor>> {
    /// The same with handles of its own.
    pub(crate) fn owned(self) -> Attention<Tensor> {
        let Self { q, keys, values, pages, rows, page, scale, window, y } = self;
        let [q, pages, rows, y] = [q, pages, rows, y].map(Tensor::clone);
        Attention { q, keys: keys.clone(), values: values.clone(), pages, rows, page, scale, window, y }
    }
}

impl<T> Attention<T> {
    pub(crate) fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a T, Access)) {
        f(&self.q, Access::Read);
        self.keys.visit(Access::Read, f);
        self.values.visit(Access::Read, f);
        f(&self.pages, Access::Read);
        f(&self.rows, Access::Read);
        f(&self.y, Access::Write);
    }

    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&T, Access) -> Result<U, E>,
    ) -> Result<Attention<U>, E> {
        Ok(Attention {
            q: f(&self.q, Access::Read)?,
            keys: self.keys.try_map(Access::Read, f)?,
            values: self.values.try_map(Access::Read, f)?,
            pages: f(&self.pages, Access::Read)?,
            rows: f(&self.rows, Access::Read)?,
            page: self.page,
            scale: self.scale,
            window: self.window,
            y: f(&self.y, Access::Write)?,
        })
    }

    /// The window as a number for kernels; the largest stands for none.
    pub(crate) fn reach(&self) -> u32 {
        self.window.unwrap_or(u32::MAX)
    }

    /// The first position that a token at this one sees.
    pub(crate) fn start(&self, position: u32) -> usize {
        match self.reach() {
            u32::MAX => 0,
            window => (position as usize + 1).saturating_sub(window as usize),
        }
    }
}
