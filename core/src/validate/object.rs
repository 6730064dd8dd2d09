//! Rules for objects. Every member counts; a value in which two of them have one name fits no schema.

use alloc::{string::String, vec::Vec};

use super::{
    check::{Checker, Here, Step, Verdict},
    failure::What,
    schema::{Id, Members, Schema},
};
use crate::json::{Item, Name};

/// Up to this many names are looked for one by one.
const FEW: usize = 8;

impl<'t> Checker<'_, 't> {
    pub(super) fn dependent(&mut self, here: Here<'t>, entries: &[(String, Id)]) -> Step {
        let present = self.names(here.spot.item)?;
        let mut verdict = Verdict::Yes;
        for (owner, id) in entries {
            self.spend(1)?;
            if present.binary_search_by(|own| own.as_ref().cmp(owner)).is_ok() {
                verdict = verdict.and(self.apply(*id, here.spot, here.tracks)?);
            }
        }
        Ok(verdict)
    }

    pub(super) fn member_names(&mut self, here: Here<'t>, id: Id) -> Step {
        let mut verdict = Verdict::Yes;
        for name in here.spot.item.names() {
            verdict = verdict.and(self.apply(id, here.spot.inner(name), false)?);
            if verdict.is_no() {
                break;
            }
        }
        Ok(verdict)
    }

    pub(super) fn dependent_required(&mut self, here: Here<'t>, entries: &[(String, Vec<String>)]) -> Step {
        let present = self.names(here.spot.item)?;
        let mut verdict = Verdict::Yes;
        for ((owner, names), index) in entries.iter().zip(0..) {
            self.spend(1)?;
            if present.binary_search_by(|own| own.as_ref().cmp(owner)).is_ok() {
                verdict = verdict.and(self.required(here, names, index)?);
            }
        }
        Ok(verdict)
    }

    pub(super) fn required(&mut self, here: Here<'t>, names: &[String], owner: u32) -> Step {
        self.spend(names.len())?;
        let object = here.spot.item;
        let missing = if names.len() <= FEW {
            self.spend(object.as_str().len() / 64 * names.len())?;
            names.iter().position(|name| object.get(name).is_none())
        } else {
            let present = self.names(object)?;
            names.iter().position(|name| present.binary_search_by(|own| own.as_ref().cmp(name)).is_err())
        };
        let missing = missing.map(|name| u32::try_from(name).unwrap_or(u32::MAX));
        Ok(missing.map_or(Verdict::Yes, |name| here.fail(What::Missing { name, owner })))
    }

    pub(super) fn members(&mut self, here: Here<'t>, members: &Members) -> Step {
        let mut verdict = Verdict::Yes;
        for (name, value) in here.spot.item.members() {
            verdict = verdict.and(self.member(here, members, name, value)?);
            if verdict.is_no() {
                break;
            }
        }
        Ok(verdict)
    }

    fn member(&mut self, here: Here<'t>, members: &Members, name: Name<'t>, value: Item<'t>) -> Step {
        let text = name.to_str();
        self.spend(1 + text.len() / 32)?;
        let spot = here.spot.inner(value);
        let mut verdict = Verdict::Yes;
        let mut is_known = false;
        if let Some(id) = members.named.get(text.as_ref()) {
            is_known = true;
            verdict = self.apply(*id, spot, false)?;
        }
        for (pattern, id) in &members.patterns {
            if verdict.is_no() {
                return Ok(verdict);
            }
            if pattern.is_match(&text, &mut self.scratch, &mut self.steps).ok_or(super::GaveUp::Steps)? {
                is_known = true;
                verdict = verdict.and(self.apply(*id, spot, false)?);
            }
        }
        if members.has_skipped_pattern {
            // What the skipped schema says of this member is open.
            verdict = verdict.and(Verdict::Unsure);
        }
        if !is_known && let Some(id) = members.additional {
            is_known = true;
            verdict = verdict.and(match self.apply(id, spot, false)? {
                Verdict::No(_) if members.has_skipped_pattern => Verdict::Unsure,
                Verdict::No(_) if self.schemas.get(id as usize).is_some_and(Schema::is_never) => {
                    Here { spot, ..here }.fail(What::Unknown)
                }
                own => own,
            });
        }
        if is_known && here.tracks {
            self.marks.push(value.index());
        }
        Ok(verdict)
    }

    pub(super) fn unevaluated_members(&mut self, here: Here<'t>, id: u32) -> Step {
        let Some(seen) = self.evaluated(here)? else { return Ok(Verdict::Yes) };
        let mut verdict = Verdict::Yes;
        for (_, value) in here.spot.item.members() {
            if seen.binary_search(&value.index()).is_err() {
                verdict = verdict.and(self.apply_unevaluated(here, id, value)?);
                if verdict.is_no() {
                    return Ok(verdict);
                }
            }
        }
        self.marks.push(here.spot.item.index());
        Ok(verdict)
    }
}
