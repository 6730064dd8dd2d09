//! Rules that combine schemas at one value.

use alloc::boxed::Box;

use super::{
    check::{Checker, Here, Step, Verdict},
    failure::{Failure, Union, What},
    schema::{Conditional, Id},
};

impl<'t> Checker<'_, 't> {
    pub(super) fn all(&mut self, here: Here<'t>, ids: &[Id]) -> Step {
        let mut verdict = Verdict::Yes;
        for id in ids {
            verdict = verdict.and(self.apply(*id, here.spot, here.tracks)?);
            if verdict.is_no() {
                break;
            }
        }
        Ok(verdict)
    }

    pub(super) fn any(&mut self, here: Here<'t>, ids: &[Id]) -> Step {
        let mut best = Best::default();
        let mut found = None;
        for id in ids {
            match self.apply(*id, here.spot, here.tracks)? {
                Verdict::Yes if !here.tracks => return Ok(Verdict::Yes),
                // What an open branch evaluated is open too, so that the whole must be.
                Verdict::Unsure if here.tracks => found = Some(Verdict::Unsure),
                Verdict::No(failure) => self.weigh(here, &mut best, failure),
                verdict => found = found.or(Some(verdict)),
            }
        }
        Ok(found.unwrap_or_else(|| best.verdict(here)))
    }

    pub(super) fn one(&mut self, here: Here<'t>, ids: &[Id]) -> Step {
        let mut best = Best::default();
        let mut matching: Option<u32> = None;
        let mut is_unsure = false;
        for (id, index) in ids.iter().zip(0..) {
            match (self.apply(*id, here.spot, here.tracks)?, matching) {
                (Verdict::Yes, Some(first)) => return Ok(here.fail(What::Both(first, index))),
                (Verdict::Yes, None) => matching = Some(index),
                (Verdict::Unsure, _) => is_unsure = true,
                (Verdict::No(failure), _) => self.weigh(here, &mut best, failure),
            }
        }
        Ok(match matching {
            _ if is_unsure => Verdict::Unsure,
            Some(_) => Verdict::Yes,
            None => best.verdict(here),
        })
    }

    pub(super) fn not(&mut self, here: Here<'t>, id: Id) -> Step {
        let base = self.marks.len();
        let verdict = self.apply(id, here.spot, false)?;
        self.marks.truncate(base);
        Ok(match verdict {
            Verdict::Yes => here.fail(What::Rule),
            Verdict::No(_) => Verdict::Yes,
            Verdict::Unsure => Verdict::Unsure,
        })
    }

    pub(super) fn conditional(&mut self, here: Here<'t>, parts: &Conditional) -> Step {
        let branch = match self.apply(parts.test, here.spot, here.tracks)? {
            Verdict::Yes => parts.then,
            Verdict::No(_) => parts.otherwise,
            Verdict::Unsure => return Ok(Verdict::Unsure),
        };
        branch.map_or(Ok(Verdict::Yes), |id| self.apply(id, here.spot, here.tracks))
    }

    fn weigh(&self, here: Here<'t>, best: &mut Best, failure: Box<Failure>) {
        let progress = failure.progress(self.schemas, here.spot.depth);
        let Some(leader) = &best.failure else {
            *best = Best { failure: Some(failure), progress, ties: 1 };
            return;
        };
        if progress > best.progress {
            *best = Best { failure: Some(failure), progress, ties: 1 };
        } else if progress == best.progress && leader.at == failure.at {
            best.ties += 1;
        }
    }
}

/// The failure of the alternative that came closest.
#[derive(Default)]
struct Best {
    failure: Option<Box<Failure>>,
    progress: (u32, u32),
    /// How many alternatives came as close.
    ties: usize,
}

impl Best {
    fn verdict(self, here: Here<'_>) -> Verdict {
        let Some(mut failure) = self.failure else { return here.fail(What::Rule) };
        if self.ties > 1 {
            let Here { spot, schema, rule, .. } = here;
            failure.union = Some(Union { schema, rule, at: spot.item.index(), depth: spot.depth });
        }
        Verdict::No(failure)
    }
}
