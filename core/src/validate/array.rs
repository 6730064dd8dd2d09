//! Rules for arrays.

use alloc::{string::String, vec::Vec};

use super::{
    canon::canonical,
    check::{Checker, Here, Step, Verdict},
    failure::What,
    schema::{Contains, Items},
};

impl<'t> Checker<'_, 't> {
    pub(super) fn items(&mut self, here: Here<'t>, items: &Items) -> Step {
        let mut verdict = Verdict::Yes;
        let mut prefix = items.prefix.iter();
        for element in here.spot.item.elements() {
            let Some(id) = prefix.next().copied().or(items.rest) else { break };
            verdict = verdict.and(self.apply(id, here.spot.inner(element), false)?);
            if verdict.is_no() {
                return Ok(verdict);
            }
            if here.tracks {
                self.marks.push(element.index());
            }
        }
        Ok(verdict)
    }

    pub(super) fn contains(&mut self, here: Here<'t>, contains: &Contains) -> Step {
        let (mut sure, mut open) = (0, 0);
        for element in here.spot.item.elements() {
            match self.apply(contains.schema, here.spot.inner(element), false)? {
                Verdict::Yes => sure += 1,
                Verdict::Unsure => open += 1,
                Verdict::No(_) => continue,
            }
            if here.tracks && contains.evaluates {
                self.marks.push(element.index());
            }
            let is_decided = sure >= contains.count.min && contains.count.max == u64::MAX;
            if is_decided && !here.tracks {
                return Ok(Verdict::Yes);
            }
        }
        Ok(if sure > contains.count.max || sure + open < contains.count.min {
            here.fail(What::Matching(sure))
        } else if open > 0 {
            Verdict::Unsure
        } else {
            Verdict::Yes
        })
    }

    pub(super) fn unique(&mut self, here: Here<'t>) -> Step {
        self.spend(here.spot.item.as_str().len() / 4)?;
        let elements = here.spot.item.elements().zip(0_u32..);
        let mut texts: Vec<(String, u32)> =
            elements.map(|(element, index)| (canonical(element), index)).collect();
        texts.sort_unstable();
        let twins = texts.windows(2).find_map(|pair| match pair {
            [(one, first), (other, second)] if one == other => Some((*first, *second)),
            _ => None,
        });
        Ok(twins.map_or(Verdict::Yes, |(first, second)| here.fail(What::Equal(first, second))))
    }

    pub(super) fn unevaluated_items(&mut self, here: Here<'t>, id: u32) -> Step {
        let Some(seen) = self.evaluated(here)? else { return Ok(Verdict::Yes) };
        let mut verdict = Verdict::Yes;
        for element in here.spot.item.elements() {
            if seen.binary_search(&element.index()).is_err() {
                verdict = verdict.and(self.apply_unevaluated(here, id, element)?);
                if verdict.is_no() {
                    return Ok(verdict);
                }
            }
        }
        self.marks.push(here.spot.item.index());
        Ok(verdict)
    }

    /// Returns the children that were evaluated so far, sorted; `None` where all were.
    pub(super) fn evaluated(&mut self, here: Here<'t>) -> Step<Option<Vec<u32>>> {
        let mut seen = self.marks.get(here.base..).unwrap_or_default().to_vec();
        self.spend(seen.len() + here.spot.item.as_str().len() / 32)?;
        if seen.contains(&here.spot.item.index()) {
            return Ok(None);
        }
        seen.sort_unstable();
        Ok(Some(seen))
    }

    pub(super) fn apply_unevaluated(
        &mut self,
        here: Here<'t>,
        id: u32,
        child: crate::json::Item<'t>,
    ) -> Step {
        let spot = here.spot.inner(child);
        let is_never = self.schemas.get(id as usize).is_some_and(super::schema::Schema::is_never);
        if is_never {
            return Ok(Here { spot, ..here }.fail(What::Unknown));
        }
        self.apply(id, spot, false)
    }
}
